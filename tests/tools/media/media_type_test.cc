#include "tools/media/media_type.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace ofindex {
namespace {

using namespace std::string_view_literals;

std::string_view TypeNameOf(std::string_view value) { return MediaTypeOf(AsBytes(value)).name; }

TEST_CASE("images and audio are known by their first bytes") {
  struct Case {
    std::string_view value;
    std::string_view type;
  };
  for (const Case& each : {
           Case{"\xff\xd8\xff\xe0\0\x10JFIF"sv, "image/jpeg"},
           Case{"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv, "image/png"},
           Case{"GIF89a\1\0\1\0"sv, "image/gif"},
           Case{"RIFF\x24\0\0\0WEBPVP8 "sv, "image/webp"},
           Case{"RIFF\x24\0\0\0WAVEfmt "sv, "audio/wav"},
           Case{"fLaC\0\0\0\x22"sv, "audio/flac"},
           Case{"OggS\0\2"sv, "audio/ogg"},
           Case{"ID3\3\0\0"sv, "audio/mpeg"},
           Case{"\xff\xfb\x90\x64"sv, "audio/mpeg"},
       }) {
    CAPTURE(each.type);
    CHECK(TypeNameOf(each.value) == each.type);
  }
}

TEST_CASE("what may hold a program is sent as text") {
  for (const std::string_view value : {"<svg onload=alert(1)>", "<!DOCTYPE html><script>", "<?xml version='1.0'?>",
                                       " <html>", "javascript:alert(1)", "%PDF-1.7"}) {
    CHECK(TypeNameOf(value) == "text/plain; charset=utf-8");
  }
}

TEST_CASE("what is neither known nor text is bytes") {
  for (const std::string_view value : {"\0\1\2"sv, "\xff\xfe<\0s\0v\0g\0"sv, "RIFF"sv.substr(0, 4),
                                       "\xff\xff\xff\xff"sv, "\xff\xd8"sv, "a\0b"sv, "\xff\xe0\0\0"sv, "\xc3"sv}) {
    CAPTURE(value.size());
    const bool text = value == "RIFF";
    CHECK(TypeNameOf(value) == (text ? "text/plain; charset=utf-8" : "application/octet-stream"));
  }
}

TEST_CASE("an empty value and lines of text are text") {
  CHECK(MediaTypeOf({}).medium == Medium::kText);
  CHECK(MediaTypeOf(AsBytes("two\r\nlines\tand a tab"sv)).medium == Medium::kText);
}

}  // namespace
}  // namespace ofindex
