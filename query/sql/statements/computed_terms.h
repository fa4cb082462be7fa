#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// A statement in which columns stand for arithmetic expressions: `SELECT height/100, count(*) FROM records GROUP BY 1`
/// becomes `SELECT c0, count(*) FROM records GROUP BY 1`. It means the same if each such column has the values of its
/// expression.
struct ComputedTerms {
  struct Expression {
    std::string text;                        ///< "height * 0.5"
    std::string select;                      ///< "SELECT height * ?1 FROM records": its only result
    std::vector<std::string> literals = {};  ///< the reals for its parameters: "0.5". Programs show reals rounded
  };
  std::string sql;
  std::vector<Expression> expressions;                 ///< for each column used, by number
  std::vector<std::optional<std::string>> names = {};  ///< of the statement's results, if their text was changed
};

/// Replaces the arithmetic in `sql` that is a whole result, a whole term of GROUP BY or ORDER BY, or the argument of an
/// aggregate function. Only columns, numbers, + - * / %, CAST to INTEGER or REAL and parentheses are arithmetic, with a
/// column and an operator. Nothing else is replaced, so a column stands where it is never compared with a value of
/// another affinity.
///
/// `columns` are the names to use. Returns nothing if there is nothing to replace, if there are more
/// expressions than columns, or if `sql` is not a single SELECT over `records` alone. It need not be a valid statement,
/// but must not contain the names.
[[nodiscard]] std::optional<ComputedTerms> NameComputedTerms(std::string_view sql,
                                                             std::span<const std::string> columns);

}  // namespace ofindex
