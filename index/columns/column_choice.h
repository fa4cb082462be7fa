#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/columns/derivations.h"

namespace ofindex {

/// The longest value, in bytes, that becomes a column automatically.
inline constexpr uint64_t kMaxAutoBytes = 64;

/// Maximum number of features that become columns automatically. If there are more candidates, the first in byte order
/// become columns. SQLite's own limit is 2,000 columns per table, and a feature can have two.
inline constexpr size_t kMaxAutoColumns = 900;

/// Which features become columns: the build's --columns, and its --derive. A value type.
struct ColumnChoice {
  enum class Mode : uint8_t {
    kAuto,   ///< every feature that has one short value in some record, and `names` with whole lists
    kNone,   ///< none; payloads are not decoded
    kNamed,  ///< `names` only, with whole lists
  };

  Mode mode = Mode::kAuto;
  std::vector<std::string> names = {};  ///< sorted, without duplicates
  Derivations derived = {};             ///< in every mode

  /// Parses a command-line argument: "auto", "none", comma-separated names, or "auto," and names. A comma in a name is
  /// written "\,", a backslash "\\", a feature named auto "\auto".
  /// Errors: kUsage if a name is empty; kLimit if the choice takes over 32 KiB.
  [[nodiscard]] static Result<ColumnChoice> Parse(const std::string& text);

  /// Parses the two texts that an index has. Errors: as Parse; kIndex if `derived` is not a text of Derivations.
  [[nodiscard]] static Result<ColumnChoice> Parse(const std::string& text, const std::string& derived);

  /// Returns the choice as stored in an index, without `derived`: Parse() of it gives this choice.
  [[nodiscard]] std::string Text() const;

  /// Returns true if `name` is one of `names`.
  [[nodiscard]] bool Named(const std::string& name) const;

  /// Returns true if payloads are decoded at all.
  [[nodiscard]] bool decodes() const { return mode != Mode::kNone || !derived.empty(); }

  /// Returns the features that stay in an index even if there are too many names: those of which columns were asked for
  /// by name. Sorted, without duplicates.
  [[nodiscard]] std::vector<std::string> Kept() const;
};

}  // namespace ofindex
