#pragma once

#include <string>

#include "base/result.h"

namespace ofindex::python {

/// Returns the text of `hint`. In a literal the options of the command become Python's arguments: `--force` becomes
/// `force=True`. Whole commands in backquotes stay if they have no like in Python. Other texts may hold names and
/// paths, and stay as they are.
[[nodiscard]] std::string InPython(const Hint& hint);

/// Returns the message of `error`, and its hint in Python's words on a second line if there is one.
[[nodiscard]] std::string TextInPython(const Error& error);

}  // namespace ofindex::python
