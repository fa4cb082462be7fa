#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "base/result.h"

namespace ofindex {

/// Returns the error that stands for `thrown`, an exception of the standard library: kLimit if memory or threads ran
/// out, kIo if the operating system refused something, and a request to report a bug otherwise. `what` names the work.
[[nodiscard]] Error ErrorOf(const std::exception& thrown, const char* what) noexcept;

/// Runs `body`, which returns a Result, and turns what the standard library throws in it into an error: the one place
/// where exceptions end. Every thread, every function that a C library calls, and main() run their work inside it.
/// `what` names the work, or what its memory was for.
/// Errors: those of `body`, and of ErrorOf.
template <typename Body>
[[nodiscard]] auto WithMemory(const char* what, Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception& thrown) {
    return tl::unexpected<Error>(ErrorOf(thrown, what));
  }
}

}  // namespace ofindex
