#include "bench/limits/crc32c.h"

#include <cstring>

namespace limits {

Crc32c::Crc32c() {
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    tables_[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables_[k - 1][byte];
      tables_[k][byte] = (before >> 8) ^ tables_[0][before & 0xff];
    }
  }
}

uint32_t Crc32c::Masked(std::string_view bytes) const {
  uint32_t crc = ~0U;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t eight;
    std::memcpy(&eight, bytes.data() + at, 8);
    eight ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= tables_[7 - k][(eight >> (8 * k)) & 0xff];
  }
  for (; at < bytes.size(); ++at) crc = (crc >> 8) ^ tables_[0][(crc ^ static_cast<uint8_t>(bytes[at])) & 0xff];
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace limits
