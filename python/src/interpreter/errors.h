#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "base/result.h"

namespace ofindex::python {

/// The kind of argument that is wrong: a wrong query is a QueryError, any other wrong argument a ValueError.
enum class Asked { kArguments, kQuery };

/// Sets the Python exception for `error`; the table is in base/result.h. The GIL is held.
void SetError(const Error& error, Asked asked = Asked::kArguments);

/// Sets the exception and throws it.
[[noreturn]] void Raise(const Error& error, Asked asked = Asked::kArguments);

[[noreturn]] inline void Raise(ErrorCode code, std::string message, std::string hint = {}) {
  Raise(Error{code, std::move(message), std::move(hint)});
}

/// Returns the value of `result`, or raises its error.
template <typename T>
T Unwrap(Result<T> result, Asked asked = Asked::kArguments) {
  if (!result) Raise(result.error(), asked);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace ofindex::python
