#include "index/merge/part_copier.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "index/walk/walker.h"

namespace ofindex {

Result<void> PartCopier::Copy(const PartInput& part, MergeSource source) {
  OFINDEX_TRY(source.AddFeaturesTo(writer_));
  OFINDEX_TRY(gathered_.TakeSkipped(source));
  const Rebase rebase(part.path, gathered_.index());
  const std::vector<PartialShard>& partial = part.facts.part->partial;
  const auto shards = static_cast<uint32_t>(writer_.pieces().size());
  const bool continues = open_ && !partial.empty() && partial.front().begin != 0;
  first_shards_.push_back(continues ? shards - 1 : shards);
  for (uint32_t shard = 0; shard < source.shards().size(); ++shard) {
    if (progress_.cancel) return Interrupted();
    if (shard != 0 || !continues) OFINDEX_TRY(BeginShard(source.shards()[shard], rebase));
    OFINDEX_TRY(CopyShard(source, shard));
    open_ = !partial.empty() && partial.back().shard == shard && partial.back().end != kNowhere;
    if (!open_) OFINDEX_TRY(EndShard());
  }
  return {};
}

Result<void> PartCopier::BeginShard(const ShardRow& shard, const Rebase& rebase) {
  OFINDEX_ASSIGN(const ShardRow row, gathered_.Take(shard, rebase));
  if (!writer_.pieces().empty() && !NaturalLess(writer_.pieces().back().path, row.path)) {
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(row.path), ": does not come after ", Printable(writer_.pieces().back().path),
                       " in the order of paths from where the index is written"),
                "write the index to the folder that the parts lie in");
  }
  writer_.BeginShard(row);
  return {};
}

Result<void> PartCopier::CopyShard(MergeSource& source, uint32_t shard) {
  const bool has_gaps = !findings_.damage.empty();
  OFINDEX_TRY(source.CopyShard(shard, writer_, findings_, progress_));
  if (!has_gaps || findings_.damage.size() <= kMaxGaps) return {};
  return Fail(ErrorCode::kFormat, StrCat(Printable(writer_.pieces().back().path), ": over ", kMaxGaps, " gaps"),
              "build the index at once, with `ofindex build`");
}

Result<void> PartCopier::EndShard() {
  progress_.shards_done.fetch_add(1, std::memory_order_relaxed);
  return writer_.EndShard(std::exchange(findings_, {}));
}

}  // namespace ofindex
