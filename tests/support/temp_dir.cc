#include "tests/support/temp_dir.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <system_error>

namespace ofindex {

TempDir::TempDir() : path_(std::filesystem::temp_directory_path() / "ofindex-XXXXXX") {
  REQUIRE_MESSAGE(::mkdtemp(path_.data()) != nullptr, "cannot create a folder from the template ", path_);
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ofindex
