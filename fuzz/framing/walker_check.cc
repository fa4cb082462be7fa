#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "fuzz/expect.h"
#include "fuzz/framing/framing_checks.h"
#include "fuzz/framing/made_shard.h"
#include "index/shards/record_sample.h"
#include "index/walk/walker.h"
#include "tests/index/reference_walk.h"

namespace ofindex {
namespace {

const std::string kWalkedPath = "part-0";

// The blocks and the damage of a walk.
struct WalkedBlocks {
  std::vector<std::vector<uint64_t>> blocks;
  std::vector<DamagedRange> damage;
  WalkedRange walked;

  friend bool operator==(const WalkedBlocks& a, const WalkedBlocks& b) {
    return a.blocks == b.blocks && a.damage == b.damage;
  }

  [[nodiscard]] Walk AsWalk() const {
    Walk walk{.records = {}, .damage = damage};
    for (const auto& block : blocks) {
      for (size_t i = 1; i < block.size(); ++i) walk.records.push_back({block[i - 1], block[i]});
    }
    return walk;
  }
};

// Checks that a visitor sees each record once, with the bytes of the shard.
class WholeView final : public WalkVisitor {
 public:
  explicit WholeView(ByteView shard) : shard_(shard) {}

  [[nodiscard]] Result<void> Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window,
                                   uint64_t begin) override {
    Expect(starts.empty() || starts.back() <= end, "a record begins after its end");
    Expect(Fits(begin, window.size(), shard_.size()), "a window outside the shard");
    Expect(std::equal(window.begin(), window.end(), shard_.begin() + static_cast<std::ptrdiff_t>(begin)),
           "a window with other bytes than the shard");
    return {};
  }

 private:
  ByteView shard_;
};

WalkedBlocks WalkOf(const ReadableBytes& bytes, ByteView shard, Framing framing, uint64_t segment,
                    const WalkRange& range = {}) {
  const Progress progress;
  ShardWalker walker(bytes, framing, progress, segment);
  if (range.begin != 0 || range.end != kNowhere) walker.Enter(range);
  WholeView view(shard);
  WalkedBlocks walked;
  std::vector<uint64_t> boundaries;
  for (;;) {
    const Result<bool> more = walker.NextBlock(boundaries, &view);
    Expect(more.has_value(), "a walk in memory fails");
    if (!*more) break;
    Expect(boundaries.size() >= 2, "a block without records");
    walked.blocks.push_back(boundaries);
  }
  walked.damage = walker.damage();
  walked.walked = walker.walked();
  return walked;
}

// Walks the shard in parts of `step` bytes, as several machines would, and once more those that were entered wrongly.
WalkedBlocks WalkInSteps(const ReadableBytes& bytes, ByteView shard, uint64_t segment, uint64_t step) {
  WalkedBlocks whole;
  WalkEntry entry;
  for (uint64_t begin = 0; begin < shard.size(); begin += step) {
    const uint64_t end = begin + step >= shard.size() ? kNowhere : begin + step;
    if (entry.position >= std::min<uint64_t>(end, shard.size())) continue;
    WalkedBlocks part = WalkOf(bytes, shard, Framing::kTfRecord, segment, {.begin = begin, .end = end});
    if (part.walked.first != entry.position || entry.tested != 0) {
      part = WalkOf(bytes, shard, Framing::kTfRecord, segment, {.begin = begin, .end = end, .entry = entry});
    }
    entry = {.position = part.walked.next, .tested = entry.tested + part.walked.tested};
    for (auto& block : part.blocks) whole.blocks.push_back(std::move(block));
    whole.damage.insert(whole.damage.end(), part.damage.begin(), part.damage.end());
  }
  Expect(entry.position == shard.size(), "parts end at ", entry.position, " of ", shard.size());
  return whole;
}

std::string SpellWalk(const Walk& walk) {
  std::string text;
  for (const Walk::Extent& record : walk.records) text += StrCat("[", record.begin, ", ", record.end, ") ");
  for (const DamagedRange& range : walk.damage) {
    text += StrCat(Name(range.reason), " [", range.begin, ", ", range.end, ") ");
  }
  return text;
}

}  // namespace

void CheckWalker(ByteView bytes) {
  FuzzInput input(bytes);
  const Framing framing = input.Below(2) == 0 ? Framing::kTfRecord : Framing::kOfRecord;
  const uint64_t segment = uint64_t{1} << (5 + input.Below(6));
  const uint64_t step = segment * (1 + input.Below(3));
  const std::string text = AnyShard(framing, input);
  const std::vector<uint8_t> shard(text.begin(), text.end());  // at its exact size, for AddressSanitizer
  const FrontBytes readable(shard, kWalkedPath);
  const WalkedBlocks whole = WalkOf(readable, shard, framing, kNowhere);
  ExpectSame(SpellWalk(whole.AsWalk()), SpellWalk(ReferenceWalk::Of(framing, text)), "the walk and a plain one");
  if (framing != Framing::kTfRecord) return;
  const WalkedBlocks cut = WalkOf(readable, shard, framing, segment);
  ExpectSame(SpellWalk(cut.AsWalk()), SpellWalk(whole.AsWalk()), "the walk in segments and the walk of a whole");
  Expect(WalkInSteps(readable, shard, segment, step) == cut, "a walk in parts has other blocks");
}

}  // namespace ofindex
