#include "tests/support/fixtures.h"

#include <doctest/doctest.h>

#include <cstdlib>

namespace ofindex {

std::optional<std::string> FixturesOrMessage() {
  const char* folder = std::getenv("OFINDEX_FIXTURES");
  if (folder != nullptr) return folder;
  MESSAGE("not run: OFINDEX_FIXTURES does not name the folder of fixtures");
  return std::nullopt;
}

}  // namespace ofindex
