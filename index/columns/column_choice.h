#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Bytes of the longest value that becomes a column by itself.
inline constexpr uint64_t kMostAutoBytes = 64;

/// Features that become columns by themselves, of those that could the first in byte order. SQLite's own limit is 2,000
/// columns a table, and a feature can have two.
inline constexpr size_t kMostAutoColumns = 900;

/// Which features become columns: the build's --columns. A value.
struct ColumnChoice {
  enum class Mode : uint8_t {
    kAuto,   ///< every feature that has one short value in some record, and `names`, lists whole
    kNone,   ///< none; payloads are not looked into
    kNamed,  ///< `names` alone, lists whole
  };

  Mode mode = Mode::kAuto;
  std::vector<std::string> names = {};  ///< sorted, each once

  /// Reads what stands on a command line: "auto", "none", names between commas, or "auto," and names. A comma in a name
  /// is written "\,", a backslash "\\", a feature that is called auto "\auto".
  /// Errors: kUsage  an empty name; kLimit  over 32 KiB.
  [[nodiscard]] static Result<ColumnChoice> Parse(const std::string& text);

  /// The same, as it is kept in an index: Parse() of it gives this choice.
  [[nodiscard]] std::string Text() const;

  /// True if `name` is one of `names`.
  [[nodiscard]] bool Named(const std::string& name) const;
};

}  // namespace ofindex
