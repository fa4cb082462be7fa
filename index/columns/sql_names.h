#pragma once

#include <set>
#include <string>

namespace ofindex {

/// Returns the name of a feature as far as an SQL name can express it: bytes that it cannot hold are written as \xNN,
/// the empty name as _empty.
[[nodiscard]] std::string SqlName(const std::string& feature);

/// The names of the columns of one table, which differ from each other and from the built-in ones without regard to
/// case. Not thread-safe.
class SqlNames {
 public:
  void Reserve(const std::string& name);

  /// Returns `wanted` and reserves it; if it is taken, then with the suffix _2, _3 and so on.
  std::string Take(const std::string& wanted);

 private:
  std::set<std::string> taken_ = {"_id", "_shard", "_offset", "_length", "_hash"};  // folded
};

}  // namespace ofindex
