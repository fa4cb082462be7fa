#include "index/merge/part_order.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/catalog_reader.h"
#include "index/merge/gathered_facts.h"
#include "index/walk/resync.h"
#include "index/walk/walk_range.h"

namespace ofindex {
namespace {

const PartFacts& FactsOf(const PartInput& input) { return *input.facts.part; }

std::string Named(const PartInput& input) { return StrCat(Printable(input.path), " (", Describe(FactsOf(input)), ")"); }

// Checks that the parts were built from the same DATA: a job has the names of its files, but not that of their folder.
Result<void> CheckSameData(const PartInput& part, const PartInput& before) {
  const Rebase rebase(part.path, before.path);
  OFINDEX_ASSIGN(const std::vector<std::string> sources, RebasedSources(part.facts, rebase));
  const std::vector<std::string>& expected = before.facts.sources;
  if (sources == expected) return {};
  const auto differ = std::mismatch(sources.begin(), sources.end(), expected.begin(), expected.end());
  const auto named = [](const auto& at, const auto& all) {
    return at == all.end() ? std::string("nothing") : StrCat("'", Printable(*at), "'");
  };
  return Fail(ErrorCode::kUsage,
              StrCat(Named(part), " and ", Named(before), ": parts of different jobs: built from ",
                     named(differ.first, sources), " and ", named(differ.second, expected), ", as seen from ",
                     Printable(FolderOf(before.path))),
              "merge the parts of one job; build all of them with the same DATA, and keep them where they were built");
}

// Checks that the parts are of one job and follow one another without a gap.
Result<void> CheckNumbers(const std::vector<PartInput>& parts) {
  for (size_t i = 1; i < parts.size(); ++i) {
    const PartFacts& before = FactsOf(parts[i - 1]);
    const PartFacts& part = FactsOf(parts[i]);
    if (part.job != before.job || part.of != before.of) {
      return Fail(ErrorCode::kUsage,
                  StrCat(Named(parts[i]), " and ", Named(parts[i - 1]),
                         ": parts of different jobs: of other files, other sizes or other options"),
                  "merge the parts of one job; build all of them with the same DATA and options");
    }
    OFINDEX_TRY(CheckSameData(parts[i], parts[i - 1]));
    if (part.first <= before.last) {
      return Fail(ErrorCode::kUsage,
                  StrCat(Named(parts[i - 1]), " and ", Named(parts[i]), ": both have part ", part.first),
                  "name each part once");
    }
    if (part.first > before.last + 1) {
      return Fail(ErrorCode::kUsage,
                  StrCat("part ", before.last + 1, " of ", part.of, " is missing between ",
                         Printable(parts[i - 1].path), " and ", Printable(parts[i].path)),
                  "build the missing part, and merge again");
    }
  }
  return {};
}

// A shard that goes on in the next part that has any shard.
struct UnendedShard {
  std::string path;
  ShardIdentity identity;
  uint64_t end;                   // of the range so far
  std::optional<WalkEntry> next;  // where the rest begins; not known before any record of the shard is
};

tl::unexpected<Error> Contradiction(const PartInput& part, const std::string& what) {
  return Fail(ErrorCode::kStale,
              StrCat(Named(part), ": ", what, "; the file was not the same when the parts were built"),
              "build the parts of this shard again");
}

// Returns the range that continues the shard of the part before; null if there is none.
const PartialShard* HeadOf(const PartInput& part) {
  const std::vector<PartialShard>& partial = FactsOf(part).partial;
  return partial.empty() || partial.front().begin == 0 ? nullptr : &partial.front();
}

Result<void> CheckContinues(const PartInput& part, const std::optional<UnendedShard>& open) {
  const PartialShard* const head = HeadOf(part);
  if (!open && head == nullptr) return {};
  if (!open) return Contradiction(part, StrCat("it begins inside ", Printable(part.partial_shards.front().path)));
  const bool same = head != nullptr && head->begin == open->end &&
                    part.partial_shards.front().identity.size == open->identity.size &&
                    part.partial_shards.front().identity.fingerprint == open->identity.fingerprint;
  if (same) return {};
  return Contradiction(
      part, StrCat("it does not continue ", Printable(open->path), "@", open->end, ", where the part before it ends"));
}

// Returns the sum, or UINT64_MAX if it is larger: parts are untrusted.
uint64_t SumOf(uint64_t a, uint64_t b) { return a + std::min(b, kNowhere - a); }

// Returns whether the range was walked as if the walk of the bytes before it had gone on: it was entered at the first
// record that begins in it, and the two have not used up the budget of the shard.
bool IsEnteredAt(const PartialShard& head, const WalkEntry& entry, uint64_t size) {
  const bool entered =
      head.first == kNowhere ? entry.position >= std::min(head.end, size) : head.first == entry.position;
  return entered && SumOf(entry.tested, head.tested) <= ResyncBudget(size);
}

// Returns the shard that goes on after a part, after which `open` goes on.
std::optional<UnendedShard> OpenAfter(const PartInput& part, const std::optional<UnendedShard>& open) {
  const std::vector<PartialShard>& partial = FactsOf(part).partial;
  if (part.shards == 0) return open;
  if (partial.empty() || partial.back().end == kNowhere) return std::nullopt;
  const PartialShard& range = partial.back();
  const ShardRow& shard = part.partial_shards.back();
  UnendedShard after{.path = shard.path, .identity = shard.identity, .end = range.end, .next = {}};
  const bool goes_on = open && range.begin != 0;
  if (goes_on) after.next = open->next;
  if (range.first == kNowhere) return after;
  const uint64_t tested_before = after.next ? after.next->tested : 0;
  after.next = WalkEntry{.position = range.next, .tested = SumOf(tested_before, range.tested)};
  return after;
}

// Returns whether a part of these shards can have the range: only its first shard begins in the middle, and only its
// last goes on in another part.
bool IsPossible(const PartialShard& range, const std::vector<ShardRow>& shards) {
  if (range.shard >= shards.size()) return false;
  const ShardRow& shard = shards[range.shard];
  const bool divisible = shard.framing == Framing::kTfRecord && shard.compression == Compression::kNone;
  const bool at_ends =
      (range.begin == 0 || range.shard == 0) && (range.end == kNowhere || range.shard + 1 == shards.size());
  const bool inside = range.first == kNowhere || (range.begin <= range.first && range.first <= shard.identity.size &&
                                                  range.next <= shard.identity.size);
  return divisible && at_ends && inside;
}

}  // namespace

Result<PartInput> PartInput::Read(const std::string& path) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(path));
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::OpenAny(file));
  PartInput input{.path = path, .identity = file->identity(), .facts = catalog.facts(), .partial_shards = {}};
  if (!input.facts.part) return input;
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Shards());
  input.shards = shards.size();
  for (const PartialShard& partial : input.facts.part->partial) {
    if (!IsPossible(partial, shards)) return DamagedIndex(path, "a range that its shards cannot have");
    input.partial_shards.push_back(shards[partial.shard]);
  }
  return input;
}

Result<std::vector<PartInput>> OrderParts(std::vector<PartInput> parts, const RebuildPart& rebuild) {
  std::multimap<uint32_t, PartInput> sorted;
  for (PartInput& part : parts) sorted.emplace(FactsOf(part).first, std::move(part));
  parts.clear();
  for (auto& [first, part] : sorted) parts.push_back(std::move(part));
  OFINDEX_TRY(CheckNumbers(parts));
  std::vector<PartInput> ordered;
  std::optional<UnendedShard> open;
  // If the first parts are not merged, the first shard may begin before these parts do.
  bool begun = FactsOf(parts.front()).first == 1;
  for (PartInput& part : parts) {
    std::vector<PartInput> taken;
    const PartialShard* const head = HeadOf(part);
    if (begun && part.shards != 0) OFINDEX_TRY(CheckContinues(part, open));
    if (head != nullptr && open && open->next && !IsEnteredAt(*head, *open->next, open->identity.size)) {
      OFINDEX_ASSIGN(taken, rebuild(part, *open->next));
      const auto first =
          std::find_if(taken.begin(), taken.end(), [](const PartInput& each) { return each.shards != 0; });
      OFINDEX_TRY(CheckContinues(first == taken.end() ? taken.front() : *first, open));
    } else {
      taken.push_back(std::move(part));
    }
    for (PartInput& each : taken) {
      open = OpenAfter(each, open);
      begun = begun || each.shards != 0;
      ordered.push_back(std::move(each));
    }
  }
  const PartFacts& last = FactsOf(ordered.back());
  if (open && last.last == last.of) {
    return Contradiction(ordered.back(), StrCat(Printable(open->path), " does not go on after byte ", open->end));
  }
  return ordered;
}

std::optional<PartFacts> MergedFacts(const std::vector<PartInput>& parts, const std::vector<uint32_t>& first_shards) {
  PartFacts merged{.first = FactsOf(parts.front()).first,
                   .last = FactsOf(parts.back()).last,
                   .of = FactsOf(parts.front()).of,
                   .job = FactsOf(parts.front()).job,
                   .inflate = FactsOf(parts.front()).inflate};
  if (merged.complete()) return std::nullopt;
  // The ranges of one shard become one; those that are whole then are left out.
  for (size_t i = 0; i < parts.size(); ++i) {
    for (PartialShard range : FactsOf(parts[i]).partial) {
      range.shard += first_shards[i];
      const bool continues = range.begin != 0 && !merged.partial.empty();
      if (!continues) {
        merged.partial.push_back(range);
        continue;
      }
      PartialShard& so_far = merged.partial.back();
      so_far.end = range.end;
      so_far.tested = SumOf(so_far.tested, range.tested);
      if (so_far.first == kNowhere) so_far.first = range.first;
      if (range.first != kNowhere) so_far.next = range.next;
    }
  }
  std::erase_if(merged.partial, [](const PartialShard& each) { return each.begin == 0 && each.end == kNowhere; });
  return merged;
}

}  // namespace ofindex
