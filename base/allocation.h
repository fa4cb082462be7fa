#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "base/result.h"

namespace ofindex {

/// Returns the error for `thrown`, an exception of the standard library: kLimit if memory or threads ran out, kIo if
/// the operating system refused something, otherwise an error whose hint asks for a bug report. `what` is the name of
/// the work in the message.
[[nodiscard]] Error ErrorOf(const std::exception& thrown, const char* what) noexcept;

/// Runs `body`, which returns a Result, and turns exceptions of the standard library into errors. Exceptions become
/// errors only here: every thread, every callback from a C library, and main() run their work inside it. `what`
/// describes the work, or what needs the memory, in messages.
/// Errors: those of `body` and of ErrorOf.
template <typename Body>
[[nodiscard]] auto WithMemory(const char* what, Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception& thrown) {
    return tl::unexpected<Error>(ErrorOf(thrown, what));
  }
}

}  // namespace ofindex
