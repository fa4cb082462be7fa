#include "index/scan/column_names.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "proto/extract/extractor.h"

namespace ofindex {
namespace {

// Returns the name as far as an SQL name can express it.
std::string SqlName(const std::string& name) {
  if (name.empty()) return "_empty";
  if (IsText(AsBytes(name))) return name;
  std::string escaped;
  for (const char c : name) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte != 0 && byte < 0x80) {
      escaped += c;
    } else {
      escaped += StrCat("\\x", ToHex(AsBytes(std::string_view(&c, 1))));
    }
  }
  return escaped;
}

class Names {
 public:
  std::string Take(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(Folded(name)).second; ++i) name = StrCat(wanted, "_", i);
    return name;
  }

 private:
  std::set<std::string> taken_ = {"_id", "_shard", "_offset", "_length"};
};

// The columns that a feature could have without the limit.
struct PossibleColumns {
  bool value = false;
  bool size = false;
  bool count = false;

  [[nodiscard]] bool any() const { return value || size || count; }
};

PossibleColumns PossibleColumnsOf(const FeatureRow& row, const ColumnChoice& choice) {
  const bool named = choice.Named(row.name);
  if (choice.mode == ColumnChoice::Mode::kNone || (choice.mode == ColumnChoice::Mode::kNamed && !named)) return {};
  const bool whole = named && row.values_max > 1;
  const bool too_long = row.largest_bytes > (named ? kMaxKeptBytes : kMaxAutoBytes);
  PossibleColumns possible;
  possible.value = whole || (row.single > 0 && !too_long);
  possible.size = !whole && row.single > 0 && too_long;
  possible.count = row.values_max > 1;
  return possible;
}

// The number of features that may still have columns: given names take precedence over automatic ones.
class ColumnBudget {
 public:
  ColumnBudget(std::span<FeatureRow* const> by_name, const ColumnChoice& choice) {
    for (const FeatureRow* row : by_name) {
      if (autos_ > 0 && choice.Named(row->name) && PossibleColumnsOf(*row, choice).any()) --autos_;
    }
    named_ = kMaxAutoColumns - autos_;
  }

  [[nodiscard]] bool Take(bool named) {
    size_t& left = named ? named_ : autos_;
    if (left == 0) return false;
    --left;
    return true;
  }

 private:
  size_t named_ = 0;
  size_t autos_ = kMaxAutoColumns;
};

}  // namespace

uint64_t NameColumns(std::span<FeatureRow* const> by_name, const ColumnChoice& choice) {
  Names names;
  ColumnBudget budget(by_name, choice);
  uint64_t without = 0;
  for (FeatureRow* row : by_name) {
    const PossibleColumns possible = PossibleColumnsOf(*row, choice);
    if (!possible.any()) continue;
    if (!budget.Take(choice.Named(row->name))) {
      ++without;
      continue;
    }
    row->whole = choice.Named(row->name) && row->values_max > 1;
    const std::string name = SqlName(row->name);
    if (possible.value) row->sql_value = names.Take(name);
    if (possible.count) row->sql_count = names.Take(name + "#count");
    if (possible.size) row->sql_size = names.Take(name + "#bytes");
  }
  return without;
}

}  // namespace ofindex
