#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ofindex {

/// What the header of an encoded image says. A value type.
///
/// Each fact is known or not, by itself: of an image that was cut off, only what precedes the cut is known. A fact that
/// is known of the beginning of a file is the same for the whole file. Pixels are not looked at, so an image may be
/// damaged after its header.
struct ImageHeader {
  std::string_view format = {};           ///< jpeg, png, gif, webp, bmp or tiff; empty if it is none of them
  std::optional<uint32_t> width = {};     ///< in pixels, as stored: the orientation in EXIF data is not applied
  std::optional<uint32_t> height = {};    ///< 1 to 2^32 - 1, like the width
  std::optional<uint32_t> channels = {};  ///< of the stored pixels, alpha included: 4 for CMYK, 3 for a palette
};

}  // namespace ofindex
