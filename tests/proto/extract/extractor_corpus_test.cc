#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fuzz/extractor_check.h"
#include "tests/support/files.h"

namespace ofindex {
namespace {

TEST_CASE("every input of the fuzzer's corpus, whole and truncated, is extracted as it is decoded") {
  const char* corpus = std::getenv("OFINDEX_CORPUS");
  if (corpus == nullptr) {
    MESSAGE("OFINDEX_CORPUS is not set: the corpus was not read");
    return;
  }
  int inputs = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(corpus) + "/extractor")) {
    CAPTURE(file.path().string());
    const std::string input = ReadFile(file.path().string());
    for (size_t size = 0; size <= input.size(); ++size) CHECK(ExtractorFault(AsBytes(input).first(size)) == "");
    ++inputs;
  }
  CHECK(inputs >= 12);
}

}  // namespace
}  // namespace ofindex
