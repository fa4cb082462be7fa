#include "tests/support/shard_bytes.h"

#include <random>

namespace ofindex {
namespace {

std::string LittleEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return out;
}

}  // namespace

uint32_t SlowCrc32c(std::string_view bytes) {
  constexpr uint32_t kReversedPolynomial = 0x82f63b78;  // Castagnoli's, RFC 3720 section 12.1
  uint32_t crc = 0xffffffff;
  for (char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
  }
  return ~crc;
}

uint32_t SlowMaskedCrc32c(std::string_view bytes) {
  const uint32_t crc = SlowCrc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8;  // tsl/lib/hash/crc32c.h
}

std::string Le32(uint32_t value) { return LittleEndian(value, 4); }
std::string Le64(uint64_t value) { return LittleEndian(value, 8); }

std::string HeaderOf(Framing framing, uint64_t length) {
  const std::string prefix = Le64(length);
  return framing == Framing::kTfRecord ? prefix + Le32(SlowMaskedCrc32c(prefix)) : prefix;
}

std::string RecordBytes(Framing framing, std::string_view payload) {
  std::string record = HeaderOf(framing, payload.size());
  record += payload;
  if (framing == Framing::kTfRecord) record += Le32(SlowMaskedCrc32c(payload));
  return record;
}

std::string ShardBytes(Framing framing, const std::vector<std::string>& payloads) {
  std::string shard;
  for (const std::string& payload : payloads) shard += RecordBytes(framing, payload);
  return shard;
}

std::vector<uint64_t> RecordBoundaries(Framing framing, const std::vector<std::string>& payloads) {
  const uint64_t around = framing == Framing::kTfRecord ? 16 : 8;
  std::vector<uint64_t> boundaries = {0};
  for (const std::string& payload : payloads) boundaries.push_back(boundaries.back() + around + payload.size());
  return boundaries;
}

std::vector<std::string> SomePayloads(size_t count, size_t bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < count; ++i) {
    std::string payload = i == 0 ? "" : Le64(i);
    const size_t size = i == 0 ? 0 : bytes / 2 + random() % (bytes + 1);
    while (payload.size() < size) payload.push_back(static_cast<char>(random() & 0xff));
    payloads.push_back(std::move(payload));
  }
  return payloads;
}

}  // namespace ofindex
