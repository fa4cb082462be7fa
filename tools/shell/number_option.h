#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace ofindex {

/// What is wrong with `text` as a whole number of 64 bits without a sign; empty if nothing is. CLI11 takes "-1", "010"
/// and what is too large for numbers of its own choice.
[[nodiscard]] std::string WholeNumber(const std::string& text);

/// Says that `text` is empty; empty if it is not. For names, which a variable of a script may leave out.
[[nodiscard]] std::string NotEmpty(const std::string& text);

/// Adds an option that takes such a number.
template <typename Value>
CLI::Option* AddNumber(CLI::App& verb, const char* name, Value& value, const char* help, const char* type) {
  return verb.add_option(name, value, help)->check(CLI::Validator(WholeNumber, ""))->type_name(type);
}

/// Adds an option that takes `least` to `most` MiB, into `bytes`.
void AddMebibytes(CLI::App& verb, const char* name, uint64_t& bytes, uint64_t least, uint64_t most, const char* help);

}  // namespace ofindex
