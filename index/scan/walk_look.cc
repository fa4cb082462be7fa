#include "index/scan/walk_look.h"

#include <limits>
#include <utility>

#include "index/scan/build_block.h"

namespace ofindex {

WalkLook::WalkLook(const ReadableBytes& bytes, Framing framing, BlockSkimmer* skimmer, bool check) : bytes_(bytes) {
  if (skimmer != nullptr) skim_.emplace(bytes, framing, *skimmer);
  if (check) checker_.emplace(bytes, framing, std::numeric_limits<uint64_t>::max());
}

Result<void> WalkLook::Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window, uint64_t begin) {
  if (skim_) OFINDEX_TRY(skim_->Visit(starts, end, window, begin));
  if (!checker_) return {};
  for (; checked_ < starts.size(); ++checked_) {
    const uint64_t record_end = checked_ + 1 < starts.size() ? starts[checked_ + 1] : end;
    OFINDEX_TRY(checker_->Add(starts[checked_], record_end, std::nullopt));
  }
  return {};
}

Result<void> WalkLook::Finish(std::span<const uint64_t> points, BuiltBlock& block) {
  OFINDEX_TRY(Visit(points.first(points.size() - 1), points.back(), {}, 0));
  if (skim_) {
    OFINDEX_ASSIGN(block.columns, skim_->Finish(points));
  }
  if (!checker_) return {};
  return TakeFindings(std::move(checker_->findings()), bytes_.path(), points, block);
}

}  // namespace ofindex
