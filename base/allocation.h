#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "base/result.h"
#include "base/text.h"

namespace ofindex {

/// Runs `body`, which returns a Result, and turns an allocation that fails in it into an error: the one place where
/// running out of memory is caught. `what` is what the memory was for.
/// Errors: those of `body`; kLimit  there is not as much memory.
template <typename Body>
[[nodiscard]] auto WithMemory(const char* what, Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kLimit, StrCat("out of memory for ", what), "raise `ulimit -v`, or free some memory");
  }
}

}  // namespace ofindex
