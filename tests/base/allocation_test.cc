#include "base/allocation.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace ofindex {
namespace {

template <typename Thrown>
Error ErrorOfThrowing(const Thrown& thrown) {
  return WithMemory("the work", [&]() -> Result<void> { throw thrown; }).error();
}

TEST_CASE("running out of memory or threads is a kLimit error") {
  const Error errors[] = {
      ErrorOfThrowing(std::bad_alloc()),
      ErrorOfThrowing(std::bad_array_new_length()),
      ErrorOfThrowing(std::length_error("vector::reserve")),
      ErrorOfThrowing(std::system_error(EAGAIN, std::generic_category())),
      ErrorOfThrowing(std::system_error(ENOMEM, std::generic_category())),
  };
  for (const Error& error : errors) {
    CAPTURE(error.message);
    CHECK(error.code == ErrorCode::kLimit);
    CHECK(error.message.find("the work") != std::string::npos);
    CHECK_FALSE(error.hint.empty());
  }
}

TEST_CASE("a refusal by the operating system is a kIo error with the errno") {
  const Error error = ErrorOfThrowing(
      std::filesystem::filesystem_error("cannot open directory", std::error_code(EACCES, std::generic_category())));
  CHECK(error.code == ErrorCode::kIo);
  CHECK(error.system == EACCES);
  CHECK(error.message == "the work: Permission denied");
}

TEST_CASE("every other exception is reported as a bug") {
  const Error error = ErrorOfThrowing(std::out_of_range("vector::at"));
  CHECK(error.code == ErrorCode::kIo);
  CHECK(error.message == "a bug in ofindex: the work: vector::at");
}

TEST_CASE("without an exception, the result of the work is returned") {
  CHECK(WithMemory("the work", []() -> Result<int> { return 3; }).value() == 3);
  CHECK(WithMemory("the work", []() -> Result<int> { return Fail(ErrorCode::kStale, "old"); }).error().message ==
        "old");
}

}  // namespace
}  // namespace ofindex
