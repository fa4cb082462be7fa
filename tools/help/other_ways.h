#pragma once

#include <string>
#include <string_view>

namespace ofindex {

/// Returns how to do what `option`, such as "--limit", does in other tools, if `verb` has no such option: with another
/// verb, with SQL or with the shell. Empty if that is unknown.
[[nodiscard]] std::string OtherWay(std::string_view verb, std::string_view option);

/// Returns the same for a value that an option of `verb` does not take, such as `export --to tfrecord`.
[[nodiscard]] std::string OtherWay(std::string_view verb, std::string_view option, std::string_view value);

}  // namespace ofindex
