#include "tools/payload_check.h"

#include <array>
#include <utility>

#include "base/framing.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMostOpen = 64;

}  // namespace

Result<bool> PayloadCheck::Holds(const RecordLocation& location, ByteView payload) {
  auto file = files_.find(location.shard);
  if (file == files_.end()) {
    if (files_.size() == kMostOpen) files_.clear();
    OFINDEX_ASSIGN(const std::string path, dataset_.reader().ShardPath(location.shard));
    OFINDEX_ASSIGN(File opened, File::OpenRead(path));
    file = files_.emplace(location.shard, std::move(opened)).first;
  }
  const uint64_t at = location.offset + HeaderBytes(Framing::kTfRecord) + location.length;
  std::array<uint8_t, 4> footer{};
  OFINDEX_ASSIGN(const size_t got, file->second.ReadAt(at, footer));
  if (got != footer.size()) {
    return Fail(ErrorCode::kStale, StrCat(Printable(file->second.path()), "@", at, ": the shard was cut meanwhile"));
  }
  return MaskCrc(Crc32c(payload)) == LoadLe32(footer.data());
}

}  // namespace ofindex
