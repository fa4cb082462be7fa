#include "tools/serve/records/record_payload.h"

#include <utility>

#include "base/text.h"

namespace ofindex {

namespace {

// A payload that is only copied, once here and once to the answer, takes less than one that is decoded.
constexpr uint64_t kBytesPerDecoded = 8;

}  // namespace

Result<void> RecordPayload::Read(const Dataset& dataset, uint64_t ordinal) {
  return Copy(dataset, ordinal, kMaxDecodedBytes);
}

Result<void> RecordPayload::ReadBytes(const Dataset& dataset, uint64_t ordinal) {
  return Copy(dataset, ordinal, kMaxBytes);
}

Result<void> RecordPayload::Copy(const Dataset& dataset, uint64_t ordinal, uint64_t max_bytes) {
  decoded_.Clear();
  ordinal_ = ordinal;
  OFINDEX_ASSIGN(const RecordLocation location, dataset.reader().Locate(ordinal));
  if (location.length > max_bytes) {
    return Fail(ErrorCode::kUsage,
                StrCat("record ", ordinal, " has ", FormatCount(location.length), " bytes; expected at most ",
                       FormatCount(max_bytes), " for a page"),
                StrCat("`ofindex get --raw INDEX ", ordinal, "` writes them"));
  }
  OFINDEX_ASSIGN(const MapShard shard, dataset.reader().map().Shard(location.shard));
  kind_ = shard.payload;
  OFINDEX_TRY(Reserve(max_bytes == kMaxBytes ? location.length / kBytesPerDecoded : location.length));
  return dataset.reader().Copy(ordinal, bytes_);
}

Result<PayloadKind> RecordPayload::KindOf(const Dataset& dataset, uint64_t ordinal) {
  OFINDEX_ASSIGN(const RecordLocation location, dataset.reader().Locate(ordinal));
  OFINDEX_ASSIGN(const MapShard shard, dataset.reader().map().Shard(location.shard));
  return shard.payload;
}

// Keeps the pass of the longest payload, as the buffers keep its memory. They are freed before it waits for a heavier
// one: two that wait for each other would wait forever.
Result<void> RecordPayload::Reserve(uint64_t weight) {
  if (pass_ && weight <= reserved_) return {};
  bytes_ = {};
  decoded_ = {};
  pass_.reset();
  OFINDEX_ASSIGN(WorkGate::Pass pass, gate_.Enter(progress_, weight));
  pass_.emplace(std::move(pass));
  reserved_ = weight;
  return {};
}

Result<void> RecordPayload::Decode() {
  if (kind_ == PayloadKind::kOpaque) return {};
  Result<void> decoded = decoded_.Decode(bytes_, kind_);
  if (decoded) return {};
  return Fail(decoded.error().code, StrCat("record ", ordinal_, ": ", decoded.error().message),
              StrCat("`ofindex get --wire INDEX ", ordinal_, "` explains the bytes"));
}

}  // namespace ofindex
