#include "tools/media/media_type.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace ofindex {
namespace {

using namespace std::string_view_literals;

// A value that begins with `head` and has `mark` at byte `at`.
struct KnownMedium {
  std::string_view head;
  size_t at;
  std::string_view mark;
  MediaType type;
};

// Sources: T.81 (JPEG), RFC 2083 (PNG), the GIF89a specification, RFC 9649 (WebP), RFC 2361 (WAV), RFC 9639 (FLAC),
// RFC 3533 (Ogg), id3.org (tags before MP3).
constexpr std::array kKnownMedia{
    KnownMedium{"\xff\xd8\xff"sv, 0, ""sv, {Medium::kImage, "image/jpeg"}},
    KnownMedium{"\x89PNG\r\n\x1a\n"sv, 0, ""sv, {Medium::kImage, "image/png"}},
    KnownMedium{"GIF87a"sv, 0, ""sv, {Medium::kImage, "image/gif"}},
    KnownMedium{"GIF89a"sv, 0, ""sv, {Medium::kImage, "image/gif"}},
    KnownMedium{"RIFF"sv, 8, "WEBP"sv, {Medium::kImage, "image/webp"}},
    KnownMedium{"RIFF"sv, 8, "WAVE"sv, {Medium::kAudio, "audio/wav"}},
    KnownMedium{"fLaC"sv, 0, ""sv, {Medium::kAudio, "audio/flac"}},
    KnownMedium{"OggS"sv, 0, ""sv, {Medium::kAudio, "audio/ogg"}},
    KnownMedium{"ID3"sv, 0, ""sv, {Medium::kAudio, "audio/mpeg"}},
};

bool Matches(const KnownMedium& known, std::string_view value) {
  return value.starts_with(known.head) && value.size() >= known.at && value.substr(known.at).starts_with(known.mark);
}

// ISO/IEC 11172-3: 11 bits of 1, any version but the reserved one, layer III; then a bit rate and a sampling rate that
// exist. Few other values begin so.
bool IsFrameOfMp3(ByteView value) {
  if (value.size() < 4 || value[0] != 0xff) return false;
  const bool layer_3 = (value[1] & 0xe6) == 0xe2 && (value[1] & 0x18) != 0x08;
  const int bit_rate = value[2] >> 4;
  return layer_3 && bit_rate != 0 && bit_rate != 15 && (value[2] & 0x0c) != 0x0c;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

}  // namespace

MediaType MediaTypeOf(ByteView value) {
  const std::string_view text = AsText(value);
  for (const KnownMedium& known : kKnownMedia) {
    if (Matches(known, text)) return known.type;
  }
  if (IsFrameOfMp3(value)) return {Medium::kAudio, "audio/mpeg"};
  if (std::none_of(text.begin(), text.end(), IsControl) && IsUtf8(text))
    return {Medium::kText, "text/plain; charset=utf-8"};
  return {};
}

}  // namespace ofindex
