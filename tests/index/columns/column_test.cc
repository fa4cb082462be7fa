#include "index/columns/column.h"

#include <doctest/doctest.h>

#include <string>

#include "base/bytes.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

TEST_CASE("text is well-formed UTF-8 without NUL") {
  const std::string strings[] = {
      "", "a", "twelve bytes", "\xc3\xa4", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "12345678\xc2\x80"};
  for (const std::string& text : strings) CHECK(IsText(AsBytes(text)));
  const std::string blobs[] = {
      std::string(1, '\0'),          // NUL
      std::string("1234567\0x", 9),  // NUL in the first word
      std::string("12345678\xc3\xa4\0", 11),
      "\x80",              // a continuation byte without a lead byte
      "\xc0\xaf",          // an overlong form
      "\xe0\x9f\xbf",      // another
      "\xf0\x8f\xbf\xbf",  // another
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // above U+10FFFF
      "1234567\xff",
      "12345678\xc3",  // cut short
  };
  for (const std::string& blob : blobs) CHECK_FALSE(IsText(AsBytes(blob)));
  Random random(12);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 20, 'a');
    for (int changes = static_cast<int>(random() % 4); changes > 0 && !bytes.empty(); --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    CHECK(IsText(AsBytes(bytes)) == DecodesAsText(bytes));
  }
}

}  // namespace
}  // namespace ofindex
