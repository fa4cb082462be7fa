#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace limits {

/// CRC-32C by tables, eight bytes at a time. Immutable.
class Crc32c {
 public:
  Crc32c();

  /// Returns the checksum as stored in TFRecord: rotated, and a constant added.
  [[nodiscard]] uint32_t Masked(std::string_view bytes) const;

 private:
  // tables_[k] has the checksum of a byte followed by k zeros.
  std::array<std::array<uint32_t, 256>, 8> tables_{};
};

}  // namespace limits
