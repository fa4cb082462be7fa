#pragma once

#include <string_view>
#include <vector>

#include "query/sql/sql_session.h"

namespace ofindex {

/// Returns the parameters of a statement of a fuzz target: one of each type. If the text has the word `must`, so does
/// the statement need to have a parameter of this name.
[[nodiscard]] inline std::vector<SqlParameter> FuzzParameters(std::string_view sql) {
  using Type = ColumnValue::Type;
  std::vector<SqlParameter> parameters = {{"1", {.type = Type::kInteger, .integer = 3}},
                                          {"2", {.type = Type::kReal, .real = 2.5}},
                                          {"t", {.type = Type::kText, .bytes = "image 3"}},
                                          {"b",
                                           {.type = Type::kBlob,
                                            .bytes = "\xff\xd8\xff"
                                                     "0"}},
                                          {"n", {}}};
  for (SqlParameter& parameter : parameters) parameter.required = false;
  if (sql.find("must") != std::string_view::npos) {
    parameters.push_back({"must", {.type = Type::kInteger, .integer = 1}});
  }
  return parameters;
}

}  // namespace ofindex
