#pragma once

#include <string>

#include "base/result.h"

namespace ofindex::python {

/// Returns the text of `hint`. In a literal, options of the command become Python arguments: `--force` becomes
/// `force=True`. Whole commands in backquotes stay if Python has no equivalent. Other texts may contain names and
/// paths, and stay unchanged.
[[nodiscard]] std::string InPython(const Hint& hint);

/// Returns the message of `error`, followed by its hint in Python's terms on a second line if there is one.
[[nodiscard]] std::string TextInPython(const Error& error);

}  // namespace ofindex::python
