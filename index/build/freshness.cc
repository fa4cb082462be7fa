#include "index/build/freshness.h"

#include <map>
#include <string_view>
#include <utility>

#include "base/shard_identity.h"
#include "base/text.h"
#include "index/build/unindexed.h"
#include "index/catalog/catalog_reader.h"

namespace ofindex {
namespace {

constexpr char kForceHint[] = "rebuild it with `ofindex build --force`";
constexpr char kOtherDataHint[] = "name another index with -o INDEX; `ofindex build --force` would replace this one";

// Leads an error about shards that have changed to the next command. An index of messages cannot be updated.
Hint ChangedHint(const DatasetFacts& facts) {
  if (!facts.message.empty()) return kForceHint;
  return "take the changes in with `ofindex update`, or rebuild it with `ofindex build --force`";
}

tl::unexpected<Error> Stale(const std::string& index, const std::string& what, Hint hint) {
  return Fail(ErrorCode::kStale, StrCat(Printable(index), ": the index is stale: ", what), std::move(hint));
}

template <typename Value>
bool SameChoice(const std::optional<Value>& choice, const std::string& stored) {
  return choice ? Name(*choice) == stored : stored == "auto";
}

Result<bool> IsUnchanged(const Candidate& candidate, const ShardIdentity& identity) {
  OFINDEX_ASSIGN(const FileFacts facts, StatFile(candidate.path));
  if (HasFactsOf(facts, identity)) return true;
  OFINDEX_ASSIGN(const File file, File::OpenRead(candidate.path));
  auto same = CheckShard(file, facts, identity);
  if (!same && same.error().code != ErrorCode::kStale) return tl::unexpected(std::move(same).error());
  return same.has_value();
}

}  // namespace

Result<Freshness> CheckFreshness(const std::string& index, const ShardSet& set, const FormatChoice& choice) {
  auto catalog = CatalogReader::Open(index);
  if (!catalog) return Fail(catalog.error().code, catalog.error().message, kForceHint);
  const DatasetFacts& facts = catalog->facts();
  if (!SameChoice(choice.framing, facts.format) || !SameChoice(choice.payload, facts.payload) ||
      !SameChoice(choice.compression, facts.compression)) {
    return Stale(index, "it was built with another format, payload or compression", kForceHint);
  }
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog->Shards());
  OFINDEX_ASSIGN(const std::vector<GenerationRow> generations, catalog->Generations());
  std::map<std::string_view, const ShardRow*> indexed;
  for (const ShardRow& shard : shards) indexed.emplace(shard.path, &shard);

  Freshness freshness{.checked = catalog->facts().checked,
                      .columns = catalog->facts().columns,
                      .derive = catalog->facts().derive,
                      .message = catalog->facts().message,
                      .generation = generations.back().number,
                      .skipped = {}};
  std::vector<Candidate> unknown;
  for (const Candidate& candidate : set.candidates) {
    const auto known = indexed.find(candidate.stored_path);
    if (known == indexed.end()) {
      unknown.push_back(candidate);
      continue;
    }
    OFINDEX_ASSIGN(const bool unchanged, IsUnchanged(candidate, known->second->identity));
    if (!unchanged) return Stale(index, StrCat(Printable(candidate.path), " has changed"), ChangedHint(facts));
    indexed.erase(known);
  }
  if (!shards.empty() && indexed.size() == shards.size() && !set.candidates.empty()) {
    return Fail(ErrorCode::kStale,
                StrCat(Printable(index), ": an index of other data: ", Printable(indexed.begin()->first),
                       " and the like; expected one of ", Printable(set.candidates.front().path)),
                kOtherDataHint);
  }
  if (!indexed.empty()) return Stale(index, StrCat(Printable(indexed.begin()->first), " is gone"), ChangedHint(facts));
  OFINDEX_ASSIGN(UnindexedFiles files, SortUnindexed(*catalog, unknown, set.skipped, choice));
  if (!files.record_files.empty()) {
    return Stale(index, StrCat(Printable(files.record_files.front().path), " is not in it"), ChangedHint(facts));
  }
  freshness.skipped = std::move(files.skipped);
  return freshness;
}

Result<void> CheckPartFreshness(const std::string& index, const ShardSet& set, const PartChoice& choice,
                                const PartPlan& plan) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(index));
  auto catalog = CatalogReader::OpenAny(file);
  if (!catalog) return Fail(catalog.error().code, catalog.error().message, kForceHint);
  const std::optional<PartFacts>& part = catalog->facts().part;
  if (!part) return Fail(ErrorCode::kStale, StrCat(Printable(index), ": a whole index, not a part"), kOtherDataHint);
  if (part->job != plan.job || part->first != choice.part || part->last != choice.part || part->of != choice.of) {
    return Stale(index, StrCat("it is ", Describe(*part), ", of other data, sizes or options"), kForceHint);
  }
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog->Shards());
  std::map<std::string_view, const Candidate*> candidates;
  for (const Candidate& candidate : set.candidates) candidates.emplace(candidate.stored_path, &candidate);
  for (const ShardRow& shard : shards) {
    const auto found = candidates.find(shard.path);
    if (found == candidates.end()) return Stale(index, StrCat(Printable(shard.path), " is gone"), kForceHint);
    OFINDEX_ASSIGN(const bool unchanged, IsUnchanged(*found->second, shard.identity));
    if (!unchanged) return Stale(index, StrCat(Printable(found->second->path), " has changed"), kForceHint);
  }
  return {};
}

}  // namespace ofindex
