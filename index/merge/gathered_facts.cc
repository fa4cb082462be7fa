#include "index/merge/gathered_facts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/paths.h"

namespace ofindex {

Rebase::Rebase(const std::string& from, const std::string& to) : from_(FolderOf(from)), to_(FolderOf(to)) {
  const auto same = RelativeTo(PathFrom(from_, "x"), to_);
  same_folder_ = same && *same == "x";
}

Result<std::string> Rebase::operator()(const std::string& stored) const {
  if (same_folder_) return stored;
  return RelativeTo(PathFrom(from_, stored), to_);
}

Result<std::vector<std::string>> RebasedSources(const DatasetFacts& facts, const Rebase& rebase) {
  std::vector<std::string> sources;
  for (const std::string& stored : facts.sources) {
    const bool is_list = stored.starts_with('@');
    OFINDEX_ASSIGN(std::string source, rebase(is_list ? stored.substr(1) : stored));
    sources.push_back(is_list ? "@" + source : std::move(source));
  }
  return sources;
}

Result<ShardRow> GatheredFacts::Take(const ShardRow& shard, const Rebase& rebase) {
  ShardRow row = shard;
  OFINDEX_ASSIGN(row.path, rebase(shard.path));
  row.file = IndexWriter::kOwnFile;
  if (row.framing == Framing::kEmpty) return row;
  if (!framing_) {
    framing_ = row.framing;
    framed_ = row.path;
  }
  if (*framing_ == row.framing) return row;
  return Fail(ErrorCode::kFormat,
              StrCat(Printable(row.path), ": of format ", Name(row.framing), "; expected ", Name(*framing_), ", as ",
                     Printable(framed_), " is"),
              "merge indexes of one format");
}

Result<void> GatheredFacts::TakeSkipped(MergeSource& source) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());  // that an index can store
  skipped_count_ += std::min(source.facts().skipped, kMost - skipped_count_);
  whole_ = whole_ || !source.facts().part;
  const Rebase rebase(source.path(), index_);
  OFINDEX_ASSIGN(std::vector<SkippedFile> skipped, source.ReadSkipped());
  for (SkippedFile& file : skipped) {
    OFINDEX_ASSIGN(file.path, rebase(file.path));
    skipped_.push_back(std::move(file));
  }
  if (skipped_.size() > 2 * kMaxSkipped) LimitSkipped();
  return {};
}

// Sorts the skipped files, and removes those that are listed twice and those that have no room in an index.
void GatheredFacts::LimitSkipped() {
  const auto by_path = [](const SkippedFile& a, const SkippedFile& b) { return NaturalLess(a.path, b.path); };
  std::stable_sort(skipped_.begin(), skipped_.end(), [&](const SkippedFile& a, const SkippedFile& b) {
    return a.path == b.path ? IsUnreadable(a) && !IsUnreadable(b) : by_path(a, b);
  });
  if (whole_) {
    const auto last = std::unique(skipped_.begin(), skipped_.end(),
                                  [](const SkippedFile& a, const SkippedFile& b) { return a.path == b.path; });
    skipped_count_ -= std::min(skipped_count_, static_cast<uint64_t>(skipped_.end() - last));
    skipped_.erase(last, skipped_.end());
  }
  if (skipped_.size() <= kMaxSkipped) return;
  std::stable_partition(skipped_.begin(), skipped_.end(), IsUnreadable);
  skipped_.resize(kMaxSkipped);
  std::stable_sort(skipped_.begin(), skipped_.end(), by_path);
}

Result<void> GatheredFacts::TakeSources(const DatasetFacts& facts, const std::string& path) {
  OFINDEX_ASSIGN(std::vector<std::string> sources, RebasedSources(facts, Rebase(path, index_)));
  for (std::string& source : sources) {
    if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) sources_.push_back(std::move(source));
  }
  return {};
}

void GatheredFacts::SortSources() { std::sort(sources_.begin(), sources_.end(), NaturalLess); }

Result<DatasetFacts> GatheredFacts::Finish(const DatasetFacts& shared, IndexWriter& writer) {
  DatasetFacts facts;
  facts.checked = shared.checked;
  facts.format = shared.format;
  facts.payload = shared.payload;
  facts.compression = shared.compression;
  facts.message = shared.message;
  facts.sources = std::move(sources_);
  LimitSkipped();
  OFINDEX_TRY(writer.AddSkipped(skipped_, facts));
  facts.skipped = skipped_count_;
  return facts;
}

}  // namespace ofindex
