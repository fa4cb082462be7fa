#include "tools/streams/payload_check.h"

#include <string>

#include "base/framing.h"
#include "base/shard_identity.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kCloseBehind = uint64_t{8} << 10;  // checksums closer than this are read together
constexpr uint64_t kWindowBytes = uint64_t{128} << 10;
constexpr uint64_t kFooter = FooterBytes(Framing::kTfRecord);

}  // namespace

Error InRecord(uint64_t ordinal, const ShardRow& shard, uint64_t offset, Error error) {
  if (error.code == ErrorCode::kIo) return error;  // of a file, which it names: another record would have met it too
  error.message = StrCat(Printable(shard.path), "@", offset + HeaderBytes(shard.framing), ": record ", ordinal, ": ",
                         error.message);
  if (error.hint.empty()) error.hint = StrCat("`ofindex get --wire INDEX ", ordinal, "` explains its bytes");
  return error;
}

// Reads the checksum at `at`, and the following ones too if it is close to the end of the window.
Result<void> PayloadCheck::Refill(uint32_t shard, uint64_t at) {
  const uint64_t window_end = window_begin_ + window_.size();
  const bool close = shard == shard_ && at + kFooter > window_end && at < window_end + kCloseBehind;
  window_.resize(close ? kWindowBytes : kFooter);
  OFINDEX_ASSIGN(const size_t got, dataset_.reader().ReadBytes(shard, at, window_));
  if (got < kFooter) {
    OFINDEX_ASSIGN(const std::string path, dataset_.reader().ShardPath(shard));
    return Fail(ErrorCode::kStale, StrCat(Printable(path), "@", at, ": the shard was truncated meanwhile"), kStaleHint);
  }
  window_.resize(got);
  window_begin_ = at;
  shard_ = shard;
  return {};
}

Result<bool> PayloadCheck::Holds(const RecordLocation& location, ByteView payload) {
  const uint64_t at = location.offset + HeaderBytes(Framing::kTfRecord) + location.length;
  const bool at_hand =
      location.shard == shard_ && at >= window_begin_ && at + kFooter <= window_begin_ + window_.size();
  if (!at_hand) OFINDEX_TRY(Refill(location.shard, at));
  return MaskCrc(Crc32c(payload)) == LoadLe32(window_.data() + (at - window_begin_));
}

}  // namespace ofindex
