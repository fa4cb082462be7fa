#include "index/scan/column_names.h"

#include <vector>

#include "index/columns/sql_names.h"
#include "proto/extract/extractor.h"

namespace ofindex {
namespace {

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

bool HasNames(const FeatureRow& row) {
  return !row.sql_value.empty() || !row.sql_count.empty() || !row.sql_size.empty();
}

// Returns which features get columns, kMaxAutoColumns at most: those that had some before take precedence over those
// that the user named, and these over the others.
std::vector<bool> ChooseFeatures(std::span<FeatureRow* const> by_name, const ColumnChoice& choice) {
  std::vector<bool> chosen(by_name.size());
  size_t left = kMaxAutoColumns;
  const auto choose = [&](const auto& belongs) {
    for (size_t i = 0; i < by_name.size(); ++i) {
      const FeatureRow& row = *by_name[i];
      if (left == 0 || chosen[i] || !belongs(row) || !PossibleColumnsOf(row, choice).any()) continue;
      chosen[i] = true;
      --left;
    }
  };
  choose(HasNames);
  choose([&](const FeatureRow& row) { return choice.Named(row.name); });
  choose([](const FeatureRow&) { return true; });
  return chosen;
}

}  // namespace

uint64_t NameColumns(std::span<FeatureRow* const> by_name, const ColumnChoice& choice) {
  SqlNames names;
  choice.derived.ReserveNames(names);
  for (const FeatureRow* row : by_name) {
    for (const std::string* name : {&row->sql_value, &row->sql_count, &row->sql_size}) names.Reserve(*name);
  }
  const auto settle = [&names](std::string& name, bool possible, const std::string& wanted) {
    if (!possible) {
      name.clear();
    } else if (name.empty()) {
      name = names.Take(wanted);
    }
  };
  const std::vector<bool> chosen = ChooseFeatures(by_name, choice);
  uint64_t without = 0;
  for (size_t i = 0; i < by_name.size(); ++i) {
    FeatureRow& row = *by_name[i];
    choice.derived.SetColumns(row);
    PossibleColumns possible = PossibleColumnsOf(row, choice);
    if (row.present == 0 && !possible.any()) continue;  // its names are kept for when its records come back
    if (possible.any() && !chosen[i]) {
      ++without;
      possible = {};
    }
    row.whole = possible.any() && choice.Named(row.name) && row.values_max > 1;
    const std::string name = SqlName(row.name);
    settle(row.sql_value, possible.value, name);
    settle(row.sql_count, possible.count, name + "#count");
    settle(row.sql_size, possible.size, name + "#bytes");
  }
  return without;
}

}  // namespace ofindex
