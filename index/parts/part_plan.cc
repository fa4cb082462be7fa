#include "index/parts/part_plan.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/part_facts.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

// Returns how many bytes of the paths name a folder that holds all files: they depend on where the index is.
size_t CommonBytes(const std::vector<Candidate>& files) {
  if (files.empty()) return 0;
  std::string_view common = files.front().stored_path;
  for (const Candidate& file : files) {
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), file.stored_path.begin(), file.stored_path.end());
    common = common.substr(0, static_cast<size_t>(end - common.begin()));
  }
  const size_t slash = common.rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

// Returns the part, from 1, to which the byte at `offset` of all `total` belongs.
uint64_t PartAt(uint64_t offset, uint64_t total, uint32_t of) {
  if (total == 0) return 1;
  const auto scaled = static_cast<unsigned __int128>(offset) * of / total;
  return std::min<uint64_t>(static_cast<uint64_t>(scaled), of - 1) + 1;
}

// Returns what the part has of a file of `size` bytes that begins at `offset` of all.
std::optional<WalkRange> RangeOf(uint64_t offset, uint64_t size, uint64_t total, const PartChoice& choice,
                                 uint64_t segment_bytes) {
  std::optional<WalkRange> range;
  uint64_t at = 0;
  do {
    const uint64_t end = size - at > segment_bytes ? at + segment_bytes : kNowhere;
    if (PartAt(offset + at, total, choice.of) == choice.part) {
      if (!range) range = WalkRange{.begin = at};
      range->end = end;
    }
    at = end;
  } while (at < size);
  return range;
}

std::optional<uint32_t> NumberOf(std::string_view digits) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return number;
}

}  // namespace

Result<PartChoice> PartChoice::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const auto part = NumberOf(text.substr(0, slash));
  const auto of = slash == std::string_view::npos ? std::nullopt : NumberOf(text.substr(slash + 1));
  if (part && of && *part >= 1 && *part <= *of && *of <= kMaxParts) return PartChoice{.part = *part, .of = *of};
  return Fail(
      ErrorCode::kUsage,
      StrCat("part: expected K/N with 1 <= K <= N <= ", FormatCount(kMaxParts), ", got '", Printable(text), "'"),
      "name the first of 8 parts 1/8");
}

std::vector<bool> PartPlan::wanted() const {
  std::vector<bool> wanted;
  for (const auto& range : ranges) wanted.push_back(range.has_value());
  return wanted;
}

void PartPlan::Apply(const ShardSet& set, ProbedSet& probed) const {
  std::map<std::string_view, WalkRange> by_path;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i]) by_path.emplace(set.candidates[i].stored_path, *ranges[i]);
  }
  std::erase_if(probed.skipped, [&](const SkippedFile& file) {
    const auto found = by_path.find(file.path);
    return found != by_path.end() && found->second.begin != 0;
  });
  std::erase_if(probed.shards, [&](ProbedShard& shard) {
    const auto found = by_path.find(shard.file.stored_path);
    if (found == by_path.end()) return true;
    const bool divisible =
        shard.framing == Framing::kTfRecord && shard.compression == Compression::kNone && !shard.lost;
    if (divisible) shard.range = found->second;
    return !divisible && found->second.begin != 0;
  });
}

Result<PartPlan> PlanPart(const ShardSet& set, const PartChoice& choice, std::span<const std::string> options,
                          uint64_t segment_bytes) {
  std::vector<uint64_t> sizes;
  uint64_t total = 0;
  for (const Candidate& file : set.candidates) {
    const auto facts = StatFile(file.path);
    // Else, it would get another part than in the plans of the others.
    if (!facts && !IsOutOfReach(facts.error().system)) return tl::unexpected(facts.error());
    sizes.push_back(facts ? facts->size : 0);  // one that cannot be read is reported when it is opened
    total += sizes.back();
  }
  const size_t common = CommonBytes(set.candidates);
  Xxh3Stream job;
  job.Add(uint64_t{choice.of});
  for (const std::string& option : options) job.Add(Xxh3(AsBytes(option)));
  PartPlan plan;
  uint64_t offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const uint64_t segment = SegmentBytes(Framing::kTfRecord, sizes[i], segment_bytes);
    plan.ranges.push_back(RangeOf(offset, sizes[i], total, choice, segment));
    job.Add(Xxh3(AsBytes(std::string_view(set.candidates[i].stored_path).substr(common))));
    job.Add(sizes[i]);
    offset += sizes[i];
  }
  plan.job = job.Digest();
  return plan;
}

std::string PartPathOf(const std::string& index, const PartChoice& choice) {
  std::string stem = index;
  if (stem.ends_with(kIndexSuffix)) stem.resize(stem.size() - kIndexSuffix.size());
  return StrCat(stem, ".part-", choice.part, "-of-", choice.of, kIndexSuffix);
}

}  // namespace ofindex
