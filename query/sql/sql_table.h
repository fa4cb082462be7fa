#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ofindex {

/// A table that statements of a session may read.
struct SqlTable {
  struct Column {
    std::string name;
    std::string type;  ///< as declared; may be empty
  };
  std::string name;
  std::vector<Column> columns;
};

/// The columns of `records` that statements read, by the name of that table: `records`, or `b.records` of another
/// index. A value type.
using ColumnsRead = std::map<std::string, std::set<std::string>>;

}  // namespace ofindex
