#include "index/build/unindexed.h"

#include <glob.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/paths.h"
#include "index/shards/shard_families.h"
#include "index/shards/shard_probe.h"

namespace ofindex {
namespace {

Result<ShardFamilies> FamiliesOf(CatalogReader& catalog) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Shards());
  ShardFamilies families;
  for (const ShardRow& shard : shards) {
    if (shard.records != 0) families.Add(shard.path, {shard.framing, shard.compression, shard.payload});
  }
  return families;
}

// The foreign files listed in an index, by their stored paths.
using KnownFiles = std::map<std::string_view, FileState>;

// Sorts one file.
Result<void> Sort(const Candidate& candidate, const KnownFiles& known, const ShardFamilies& families,
                  const FormatChoice& choice, UnindexedFiles& files) {
  OFINDEX_ASSIGN(const File file, File::OpenRead(candidate.path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  const FileState& state = facts;
  const auto before = known.find(candidate.stored_path);
  std::string what;
  if (before == known.end() || before->second != state) {
    OFINDEX_ASSIGN(const Detection detection, DetectBeside(file, facts.size, candidate.stored_path, choice, families));
    if (detection.verdict == Detection::Verdict::kRecords) {
      files.record_files.push_back(candidate);
      return {};
    }
    what = detection.what;
  }
  files.skipped.push_back({.path = candidate.stored_path, .reason = std::move(what), .state = state});
  return {};
}

// Returns true if a file is at `path`, or `path` is a glob that matches one.
bool IsThere(const std::string& path, bool may_be_glob) {
  if (StatFile(path)) return true;
  glob_t matches{};
  const bool matched = may_be_glob && ::glob(path.c_str(), GLOB_NOSORT, nullptr, &matches) == 0;
  ::globfree(&matches);
  return matched;
}

// Returns the DATA of the build that can still be searched. A list that no longer exists, or a glob that matches
// nothing, is skipped: the shards that it named are in the index.
std::vector<std::string> SourcesOf(const DatasetFacts& facts, const std::vector<ShardRow>& shards,
                                   const DataSearch& search, bool lists) {
  const std::string folder = shards.empty() ? "" : shards.front().path.substr(0, CommonFolderBytes(shards));
  std::vector<std::string> sources;
  for (const std::string& stored : facts.sources) {
    const bool list = stored.starts_with('@');
    if (list && !lists) continue;
    std::string argument = stored.substr(list ? 1 : 0);
    const bool with_shards = !list && (argument + "/").starts_with(folder);
    if (search.elsewhere && !with_shards) continue;
    if (argument + "/" == folder) argument += '/';
    const std::string path = search.paths.PathOf(argument);
    if (IsThere(path, !list)) sources.push_back((list ? "@" : "") + path);
  }
  return sources;
}

// Returns why DATA could not be searched, in the form of an unreadable file: a build would fail there.
Result<SkippedFile> NotSearched(Error error) {
  const bool ends = error.code == ErrorCode::kInterrupted || error.code == ErrorCode::kLimit;
  const size_t path_ends = error.message.find(": ");
  if (ends || path_ends == std::string::npos) return tl::unexpected(std::move(error));
  return SkippedFile{.path = error.message.substr(0, path_ends),
                     .reason = error.message.substr(path_ends + 2),
                     .kind = SkippedFile::Kind::kUnreadable,
                     .state = {}};
}

template <typename Value>
std::optional<Value> Chosen(const std::string& stored, std::optional<Value> (*parse)(std::string_view)) {
  return stored == "auto" ? std::nullopt : parse(stored);
}

}  // namespace

Result<UnindexedFiles> FindUnindexed(CatalogReader& catalog, const std::vector<ShardRow>& shards,
                                     const DataSearch& search, const Progress& progress) {
  const DatasetFacts& facts = catalog.facts();
  std::set<std::pair<uint64_t, uint64_t>> indexed;
  for (const ShardRow& row : shards) {
    if (const auto file = StatFile(search.paths.PathOf(row.path))) indexed.insert({file->device, file->inode});
  }
  Result<ShardSet> found = FindShards(SourcesOf(facts, shards, search, true), search.index, progress);
  // The lines of a list are relative to the build's working directory, and some files may be gone: a list that cannot
  // be resolved is ignored.
  if (!found) found = FindShards(SourcesOf(facts, shards, search, false), search.index, progress);
  if (!found) {
    OFINDEX_ASSIGN(SkippedFile unknown, NotSearched(std::move(found).error()));
    return UnindexedFiles{.record_files = {}, .skipped = {std::move(unknown)}};
  }
  ShardSet& set = *found;
  std::erase_if(set.candidates, [&](const Candidate& candidate) {
    const auto file = StatFile(candidate.path);
    return file && indexed.contains({file->device, file->inode});
  });
  const FormatChoice choice{.framing = Chosen(facts.format, ParseFraming),
                            .payload = Chosen(facts.payload, ParsePayloadKind),
                            .compression = Chosen(facts.compression, ParseCompression)};
  return SortUnindexed(catalog, set.candidates, std::move(set.skipped), choice);
}

Result<UnindexedFiles> SortUnindexed(CatalogReader& catalog, const std::vector<Candidate>& candidates,
                                     std::vector<SkippedFile> skipped, const FormatChoice& choice) {
  OFINDEX_ASSIGN(const std::vector<SkippedFile> stored, catalog.Skipped());
  OFINDEX_ASSIGN(const ShardFamilies families, FamiliesOf(catalog));
  KnownFiles known;
  std::map<std::string_view, std::string_view> reasons;
  for (const SkippedFile& file : stored) {
    if (file.state) known.emplace(file.path, *file.state);
    reasons.emplace(file.path, file.reason);
  }
  UnindexedFiles files{.record_files = {}, .skipped = std::move(skipped)};
  for (SkippedFile& file : files.skipped) {
    const bool of_set = file.kind == SkippedFile::Kind::kBrokenLink && families.Of(file.path);
    if (of_set) file.kind = SkippedFile::Kind::kUnreadable;
  }
  for (const Candidate& candidate : candidates) {
    Result<void> sorted = Sort(candidate, known, families, choice, files);
    if (sorted) continue;
    if (sorted.error().code != ErrorCode::kIo) return tl::unexpected(std::move(sorted).error());
    OFINDEX_ASSIGN(SkippedFile unreadable,
                   Unreadable(candidate.path, candidate.stored_path, std::move(sorted).error()));
    files.skipped.push_back(std::move(unreadable));
  }
  for (SkippedFile& file : files.skipped) {
    if (file.reason.empty()) file.reason = reasons[file.path];
  }
  std::sort(files.skipped.begin(), files.skipped.end(),
            [](const SkippedFile& a, const SkippedFile& b) { return NaturalLess(a.path, b.path); });
  return files;
}

}  // namespace ofindex
