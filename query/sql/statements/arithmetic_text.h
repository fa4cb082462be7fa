#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "query/sql/statements/sql_tokens.h"

namespace ofindex {

/// Returns the end of the longest arithmetic that begins at token `begin`: names of columns, numbers, + - * / %, CAST
/// to INTEGER or REAL, and parentheses. Returns nothing unless it has a column and an operator. Only the grammar is
/// looked at; operators of different precedence are alike.
[[nodiscard]] std::optional<size_t> EndOfArithmetic(std::span<const SqlToken> tokens, size_t begin);

}  // namespace ofindex
