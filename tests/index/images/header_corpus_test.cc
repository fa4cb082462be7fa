#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fuzz/image_header_check.h"
#include "tests/support/files.h"

namespace ofindex {

TEST_CASE("the header of every input of the fuzzer's corpus is the same in memory, in pieces and cut off") {
  const char* corpus = std::getenv("OFINDEX_CORPUS");
  if (corpus == nullptr) {
    MESSAGE("OFINDEX_CORPUS is not set: the corpus was not read");
    return;
  }
  int inputs = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(corpus) + "/image_header")) {
    CAPTURE(file.path().string());
    const std::string image = ReadFile(file.path().string());
    for (size_t size = 0; size <= image.size(); ++size) CHECK(ImageHeaderFault(AsBytes(image).first(size)) == "");
    CHECK(SpellHeader(ImageHeader{}) != SpellHeader([&] {
            MemoryImage whole(AsBytes(image));
            return ReadImageHeader(whole);
          }()));
    ++inputs;
  }
  CHECK(inputs >= 11);
}

}  // namespace ofindex
