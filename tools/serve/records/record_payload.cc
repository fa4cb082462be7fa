#include "tools/serve/records/record_payload.h"

#include "base/text.h"

namespace ofindex {

Result<void> RecordPayload::Read(const Dataset& dataset, uint64_t ordinal) {
  decoded_.Clear();
  ordinal_ = ordinal;
  OFINDEX_ASSIGN(const RecordLocation location, dataset.reader().Locate(ordinal));
  if (location.length > kMaxBytes) {
    return Fail(ErrorCode::kLimit,
                StrCat("record ", ordinal, " has ", FormatCount(location.length), " bytes; expected at most ",
                       FormatCount(kMaxBytes), " for a page"),
                StrCat("`ofindex get --raw INDEX ", ordinal, "` writes them"));
  }
  OFINDEX_ASSIGN(const MapShard shard, dataset.reader().map().Shard(location.shard));
  kind_ = shard.payload;
  return dataset.reader().Copy(ordinal, bytes_);
}

Result<void> RecordPayload::Decode() {
  if (kind_ == PayloadKind::kOpaque) return {};
  Result<void> decoded = decoded_.Decode(bytes_, kind_);
  if (decoded) return {};
  return Fail(decoded.error().code, StrCat("record ", ordinal_, ": ", decoded.error().message),
              StrCat("`ofindex get --wire INDEX ", ordinal_, "` explains the bytes"));
}

}  // namespace ofindex
