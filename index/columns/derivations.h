#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "index/columns/sql_names.h"

namespace ofindex {

/// What is derived from the values of a feature.
enum class DerivedKind : uint8_t { kImage, kHash, kLength };

[[nodiscard]] constexpr std::string_view Name(DerivedKind kind) {
  switch (kind) {
    case DerivedKind::kImage: return "image";
    case DerivedKind::kHash: return "hash";
    case DerivedKind::kLength: return "length";
  }
  return "unknown";
}

/// A feature, and what is derived from its values.
struct Derivation {
  std::string feature;
  DerivedKind kind = DerivedKind::kImage;

  friend bool operator==(const Derivation&, const Derivation&) = default;
};

/// Maximum number of derivations of an index. SQLite's limit on columns leaves room for them beside kMaxAutoColumns.
inline constexpr size_t kMaxDerivations = 32;

/// The columns that are derived from features: the build's --derive. A value type.
class Derivations {
 public:
  Derivations() = default;

  /// Parses arguments of --derive: "NAME:image", "NAME:hash" or "NAME:length". A name may have colons. The order does
  /// not matter, nor does one given twice. Errors: kUsage; kLimit if there are more than kMaxDerivations, or if their
  /// text takes over 16 KiB.
  [[nodiscard]] static Result<Derivations> Of(const std::vector<std::string>& arguments);

  /// Convert the choice to the text in an index, which is empty if nothing is derived, and back. ParseText returns
  /// nullopt for anything that Text cannot return.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] static std::optional<Derivations> ParseText(std::string_view text);

  /// Returns the choice as arguments for Of().
  [[nodiscard]] std::vector<std::string> Arguments() const;

  [[nodiscard]] bool empty() const { return all_.empty(); }

  /// Returns the names of the features, sorted, each once.
  [[nodiscard]] std::vector<std::string> Features() const;

  /// Returns the columns that are derived from `feature`, in the order of their roles; none if it is not in the choice.
  /// Their SQL names depend on the choice alone: they never change, whatever features an index has.
  [[nodiscard]] std::vector<DerivedColumn> ColumnsOf(std::string_view feature) const;

  /// Reserves the SQL names of all derived columns, so that no column of a feature has one.
  void ReserveNames(SqlNames& names) const;

  /// Sets the derived columns of a feature. Only a feature that has bytes values has some.
  void SetColumns(FeatureRow& row) const;

  friend bool operator==(const Derivations& a, const Derivations& b) { return a.all_ == b.all_; }

 private:
  struct Named {
    std::string feature;
    DerivedColumn column;
  };

  [[nodiscard]] Result<void> Add(const std::string& argument);
  [[nodiscard]] Result<void> Settle();

  std::vector<Derivation> all_;  // sorted, without duplicates
  std::vector<Named> columns_;   // sorted by feature and role
};

}  // namespace ofindex
