#pragma once

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

}  // namespace ofindex
