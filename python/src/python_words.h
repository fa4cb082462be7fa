#pragma once

#include <string>
#include <string_view>

namespace ofindex::python {

/// Returns `text` of an error with the options of the command as Python's arguments: `--force` as `force=True`. Names
/// and paths in it stay as they are, and so do whole commands in backquotes that have no like in Python.
[[nodiscard]] std::string InPython(std::string_view text);

}  // namespace ofindex::python
