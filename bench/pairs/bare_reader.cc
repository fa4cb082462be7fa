#include "bench/pairs/bare_reader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/framing.h"

namespace ofindex {
namespace {

constexpr size_t kPrefetchAhead = 14;
constexpr uint64_t kCacheLine = 64;

void Touch(ByteView record) {
  for (uint64_t line = 0; line < record.size(); line += kCacheLine) __builtin_prefetch(record.data() + line);
}

}  // namespace

void BareReader::Unmap::operator()(uint8_t* map) const { ::munmap(map, bytes); }

Result<BareReader::Shard> BareReader::Map(const std::string& path) {
  OFINDEX_ASSIGN(File file, File::OpenRead(path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  void* const map = ::mmap(nullptr, facts.size, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (map == MAP_FAILED) return tl::unexpected(SystemError(path, "cannot map", errno));
  return Shard{std::move(file), {static_cast<uint8_t*>(map), Unmap{facts.size}}};
}

Result<BareReader> BareReader::Open(const DataSet& data, const RecordReader& reader) {
  BareReader bare;
  for (const std::string& path : data.shards) {
    OFINDEX_ASSIGN(Shard shard, Map(path));
    bare.shards_.push_back(std::move(shard));
  }
  for (uint64_t ordinal = 0; ordinal < reader.size(); ++ordinal) {
    OFINDEX_ASSIGN(const RecordLocation location, reader.Locate(ordinal));
    const uint8_t* const record = bare.shards_[location.shard].map.get() + location.offset;
    bare.addresses_.push_back(reinterpret_cast<uintptr_t>(record + HeaderBytes(Framing::kTfRecord)));
    bare.lengths_.push_back(location.length);
    bare.shard_of_.push_back(location.shard);
  }
  return bare;
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
    const auto offset = static_cast<off_t>(addresses_[ordinal] - reinterpret_cast<uintptr_t>(shard.map.get()));
    const ssize_t n = ::pread(shard.file.fd(), out, lengths_[ordinal], offset);
    if (n != static_cast<ssize_t>(lengths_[ordinal])) return Fail(ErrorCode::kIo, "a record cannot be read");
    out += n;
  }
  return {};
}

}  // namespace ofindex
