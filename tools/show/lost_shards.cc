#include "tools/show/lost_shards.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"

namespace ofindex {

bool LostShards::Has(uint64_t ordinal) const {
  if (shards_.empty()) return false;
  const auto location = dataset_.reader().Locate(ordinal);
  return location && shards_.contains(location->shard);
}

Result<void> LostShards::Add(uint64_t ordinal, const Error& error) {
  const bool of_shard = error.code == ErrorCode::kStale || error.code == ErrorCode::kIo;
  if (!of_shard) return tl::unexpected(error);
  OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
  OFINDEX_ASSIGN(const std::string in_it, RecordsIn(location.shard));
  Error lost = error;
  lost.message += StrCat("; ", in_it, " in it");
  exit_code_ = std::max(exit_code_, ExitCode(error.code));
  if (!shards_.empty()) {
    rest_.push_back(std::move(lost.message));
  } else {
    OFINDEX_TRY(Output::Standard().Flush());
    PrintError(lost, context_);
  }
  shards_.insert(location.shard);
  return {};
}

// Names the records of a shard. Those of a shard that has grown are not one range.
Result<std::string> LostShards::RecordsIn(uint32_t piece) const {
  OFINDEX_ASSIGN(const MapShard shard, dataset_.reader().map().Shard(piece));
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset_.snapshot()->Catalog());
  OFINDEX_ASSIGN(const uint32_t number, catalog->ShardOfPiece(piece));
  const uint64_t records = catalog->shards()[number].records;
  const uint64_t last = shard.first_record + std::max<uint64_t>(shard.records, 1) - 1;
  if (records == 1) return StrCat("record ", last, " is");
  if (records == shard.records) return StrCat("records ", shard.first_record, " to ", last, " are");
  return StrCat(FormatCount(records), " records, the first of them ", shard.first_record, ", are");
}

void LostShards::PrintRest() const { PrintMoreErrors(rest_, context_); }

}  // namespace ofindex
