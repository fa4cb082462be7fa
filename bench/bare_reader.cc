#include "bench/bare_reader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/framing.h"

namespace ofindex {
namespace {

constexpr size_t kPrefetchAhead = 14;
constexpr uint64_t kCacheLine = 64;
constexpr uint64_t kPageBytes = 4096;

uint64_t InPages(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

void Touch(ByteView record) {
  for (uint64_t line = 0; line < record.size(); line += kCacheLine) __builtin_prefetch(record.data() + line);
}

}  // namespace

void BareReader::Unmap::operator()(uint8_t* map) const { ::munmap(map, bytes); }

Result<BareReader> BareReader::Open(const DataSet& data, const RecordReader& reader) {
  BareReader bare;
  OFINDEX_TRY(bare.MapShards(data));
  for (uint64_t ordinal = 0; ordinal < reader.size(); ++ordinal) {
    OFINDEX_ASSIGN(const RecordLocation location, reader.Locate(ordinal));
    const uint64_t payload = location.offset + HeaderBytes(Framing::kTfRecord);
    bare.offsets_.push_back(bare.shards_[location.shard].begin + payload);
    bare.lengths_.push_back(location.length);
    bare.shard_of_.push_back(location.shard);
  }
  return bare;
}

Result<void> BareReader::MapShards(const DataSet& data) {
  uint64_t bytes = 0;
  std::vector<uint64_t> sizes;
  for (const std::string& path : data.shards) {
    OFINDEX_ASSIGN(File file, File::OpenRead(path));
    OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
    shards_.push_back({bytes, std::move(file)});
    sizes.push_back(facts.size);
    bytes += InPages(facts.size);
  }
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return tl::unexpected(SystemError(data.folder, "cannot map", errno));
  map_ = {static_cast<uint8_t*>(room), Unmap{bytes}};
  for (size_t i = 0; i < shards_.size(); ++i) {
    const int fd = shards_[i].file.fd();
    if (::mmap(map_.get() + shards_[i].begin, sizes[i], PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
      return tl::unexpected(SystemError(data.shards[i], "cannot map", errno));
    }
  }
  return {};
}

void BareReader::Copy(std::span<const uint64_t> ordinals, uint8_t* out) const {
  for (size_t i = 0; i < std::min(kPrefetchAhead, ordinals.size()); ++i) Touch(View(ordinals[i]));
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (i + kPrefetchAhead < ordinals.size()) Touch(View(ordinals[i + kPrefetchAhead]));
    const ByteView record = View(ordinals[i]);
    std::memcpy(out, record.data(), record.size());
    out += record.size();
  }
}

Result<void> BareReader::Pread(std::span<const uint64_t> ordinals, uint8_t* out) const {
  for (const uint64_t ordinal : ordinals) {
    const Shard& shard = shards_[shard_of_[ordinal]];
    const auto offset = static_cast<off_t>(offsets_[ordinal] - shard.begin);
    const ssize_t n = ::pread(shard.file.fd(), out, lengths_[ordinal], offset);
    if (n != static_cast<ssize_t>(lengths_[ordinal])) return Fail(ErrorCode::kIo, "a record cannot be read");
    out += n;
  }
  return {};
}

}  // namespace ofindex
