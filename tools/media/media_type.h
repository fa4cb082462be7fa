#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace ofindex {

/// The kind of media that a value is, so far as its first bytes show.
enum class Medium : uint8_t { kImage, kAudio, kText, kBytes };

struct MediaType {
  Medium medium = Medium::kBytes;
  std::string_view name = "application/octet-stream";  ///< as in the header Content-Type
};

/// Returns the type of a value as a browser may be told: JPEG, PNG, GIF, WebP, WAV, FLAC, OGG, MP3, or UTF-8 text
/// without control characters, which is always "text/plain". Never a type that may hold programs: SVG, HTML and XML are
/// text. Only the head decides for images and audio, so their rest may be anything; send them with `nosniff`.
[[nodiscard]] MediaType MediaTypeOf(ByteView value);

}  // namespace ofindex
