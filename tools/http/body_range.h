#pragma once

#include <cstdint>
#include <string_view>

namespace ofindex {

/// The bytes of a body that a request asks for.
struct BodyRange {
  enum class Kind : uint8_t {
    kWhole,    ///< no range, or one that a server may ignore: another unit, several ranges, bad syntax
    kPart,     ///< `size` bytes from `begin`
    kOutside,  ///< a range without any byte of the body
  };
  Kind kind = Kind::kWhole;
  uint64_t begin = 0;
  uint64_t size = 0;
};

/// Parses the value of a Range header, such as "bytes=0-99", "bytes=100-" or "bytes=-100", for a body of `size` bytes.
/// An empty value asks for all.
[[nodiscard]] BodyRange ParseRange(std::string_view value, uint64_t size);

}  // namespace ofindex
