#include "tools/sampling/class_counts.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <utility>

#include "base/text.h"
#include "query/sampling/columns/column_classes.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxClassName = 32;  // characters
constexpr size_t kMaxPartName = 24;

// Returns the classes with the most records, in this order; class classes.size() is NULL.
std::vector<uint32_t> LargestClasses(const ColumnClasses& classes, uint64_t nulls, size_t most) {
  std::vector<uint32_t> order(classes.size() + (nulls > 0 ? 1 : 0));
  std::iota(order.begin(), order.end(), 0U);
  const auto records = [&](uint32_t number) { return number == classes.size() ? nulls : classes.count(number); };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return records(a) > records(b); });
  order.resize(std::min(order.size(), most));
  return order;
}

}  // namespace

Result<ClassCounts> CountClasses(ColumnStore& store, const Column& column, const std::vector<OrdinalSet>& parts,
                                 size_t most, const Context& context) {
  const std::atomic<bool>* const cancel = &context.progress.cancel;
  OFINDEX_ASSIGN(const ColumnClasses classes, ColumnClasses::Read(store, column, store.ordinals(), cancel));
  uint64_t nulls = store.records();
  for (uint32_t number = 0; number < classes.size(); ++number) nulls -= classes.count(number);
  const std::vector<uint32_t> shown = LargestClasses(classes, nulls, most);
  ClassCounts counts{.column = column.name, .rows = {}, .other_classes = classes.size() + (nulls > 0 ? 1 : 0)};
  counts.other_classes -= shown.size();
  std::vector<size_t> row_of(classes.size() + 1, shown.size());
  for (size_t i = 0; i < shown.size(); ++i) {
    const bool null = shown[i] == classes.size();
    row_of[shown[i]] = i;
    counts.rows.push_back({null ? ColumnValue{} : classes.value(shown[i]), null ? nulls : classes.count(shown[i]),
                           std::vector<uint64_t>(parts.size())});
  }
  OFINDEX_TRY(classes.ForEach(
      store,
      [&](uint64_t first, std::span<const uint32_t> of_records) {
        for (size_t p = 0; p < parts.size(); ++p) {
          parts[p].Between(first, first + of_records.size()).ForEach([&](uint64_t ordinal) {
            const uint32_t number = of_records[ordinal - first];
            const size_t row = row_of[std::min<size_t>(number, classes.size())];
            if (row < counts.rows.size()) ++counts.rows[row].parts[p];
            return true;
          });
        }
      },
      cancel));
  return counts;
}

Table ClassTable(const ClassCounts& counts, const std::vector<std::string>& names) {
  std::vector<std::string> header = {ShownText(counts.column, kMaxClassName)};
  for (const std::string& name : names) header.push_back(ShownText(name, kMaxPartName));
  Table table(std::move(header));
  for (const ClassCounts::Row& row : counts.rows) {
    std::vector<std::string> cells = {ShownValue(ViewOf(row.value), kMaxClassName)};
    for (const uint64_t records : row.parts) cells.push_back(FormatCount(records));
    table.Add(std::move(cells));
  }
  return table;
}

std::string ClassesLeftOut(const ClassCounts& counts) {
  if (counts.other_classes == 0) return "";
  return StrCat("and ", FormatCount(counts.other_classes), " more");
}

Json ToJson(const ClassCounts& counts) {
  Json array = Json::array();
  for (const ClassCounts::Row& row : counts.rows) {
    array.push_back({{"value", JsonOfValue(ViewOf(row.value))}, {"records", row.records}, {"parts", row.parts}});
  }
  return array;
}

}  // namespace ofindex
