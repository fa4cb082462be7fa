#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace ofindex {

/// Returns what is wrong with `text` as an unsigned 64-bit number, or an empty string. CLI11 itself would accept "-1",
/// "010" and numbers that are too large, and change their values.
[[nodiscard]] std::string WholeNumber(const std::string& text);

/// Returns an error if `text` is empty, otherwise an empty string. For names, since an unset variable in a
/// script is empty.
[[nodiscard]] std::string NotEmpty(const std::string& text);

/// Adds an option that takes such a number.
template <typename Value>
CLI::Option* AddNumber(CLI::App& verb, const char* name, Value& value, const char* help, const char* type) {
  return verb.add_option(name, value, help)->check(CLI::Validator(WholeNumber, ""))->type_name(type);
}

/// Adds an option that takes `least` to `most` MiB and stores bytes in `bytes`.
void AddMebibytes(CLI::App& verb, const char* name, uint64_t& bytes, uint64_t least, uint64_t most, const char* help);

}  // namespace ofindex
