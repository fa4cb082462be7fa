#include "tools/payload_check.h"

#include <utility>

#include "base/framing.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMostOpen = 64;
constexpr uint64_t kCloseBehind = uint64_t{8} << 10;  // a checksum this near the last one is one of many
constexpr uint64_t kWindowBytes = uint64_t{128} << 10;
constexpr uint64_t kFooter = FooterBytes(Framing::kTfRecord);

}  // namespace

Result<const File*> PayloadCheck::Open(uint32_t shard) {
  if (const auto file = files_.find(shard); file != files_.end()) return &file->second;
  if (files_.size() == kMostOpen) files_.clear();
  OFINDEX_ASSIGN(const std::string path, dataset_.reader().ShardPath(shard));
  OFINDEX_ASSIGN(File file, File::OpenRead(path));
  return &files_.emplace(shard, std::move(file)).first->second;
}

// Reads the checksum at `at`, and those behind it too if it is close behind the window.
Result<void> PayloadCheck::Refill(uint32_t shard, uint64_t at) {
  const uint64_t window_end = window_begin_ + window_.size();
  const bool close = shard == shard_ && at + kFooter > window_end && at < window_end + kCloseBehind;
  OFINDEX_ASSIGN(const File* const file, Open(shard));
  window_.resize(close ? kWindowBytes : kFooter);
  OFINDEX_ASSIGN(const size_t got, file->ReadAt(at, window_));
  if (got < kFooter) {
    return Fail(ErrorCode::kStale, StrCat(Printable(file->path()), "@", at, ": the shard was cut meanwhile"));
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
