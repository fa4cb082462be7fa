#include "query/sampling/columns/column_classes.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "index/chunks/zone_map.h"
#include "query/sampling/columns/column_blocks.h"
#include "query/stats/group_numbers.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

bool EqualsAnInteger(double value) { return value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value); }

// Returns the position of `key` among `counts`, or their number if it is not there.
template <typename Key, typename View>
size_t PlaceOf(const std::vector<Count<Key>>& counts, const View& key) {
  const auto found = std::lower_bound(counts.begin(), counts.end(), key,
                                      [](const Count<Key>& entry, const View& wanted) { return entry.key < wanted; });
  return found != counts.end() && found->key == key ? static_cast<size_t>(found - counts.begin()) : counts.size();
}

}  // namespace

Result<ColumnClasses> ColumnClasses::Read(ColumnStore& store, Column column, uint64_t records,
                                          const std::atomic<bool>* cancel, const ClassLimits& limits) {
  OFINDEX_TRY(CheckSingle(column, "a class"));
  const bool real = (store.kinds(column) & kIntegerKinds) == 0;
  return WithMemory("the classes of a column", [&]() -> Result<ColumnClasses> {
    ColumnClasses classes(std::move(column), records, real, limits);
    OFINDEX_TRY(ForEachChunk(store, classes.column_, records, cancel,
                             [&](uint64_t, uint64_t count, const Chunk& chunk) { return classes.Add(chunk, count); }));
    OFINDEX_TRY(classes.Settle(true));
    classes.NumberAll();
    return classes;
  });
}

Result<void> ColumnClasses::Add(const Chunk& chunk, uint64_t count) {
  const GroupNumbers groups = NumberGroups(chunk);
  std::vector<uint64_t> counts(groups.values.size());
  for (uint64_t r = 0; r < count; ++r) ++counts[groups.number[r]];
  for (size_t g = 0; g < counts.size(); ++g) {
    const Chunk::Value& value = groups.values[g];
    if (counts[g] == 0 || value.type == Type::kNull) continue;
    if (value.type == Type::kInteger) {
      integers_.Add(value.integer, counts[g]);
    } else if (value.type != Type::kReal) {
      strings_.Add(std::string(AsText(value.bytes)), counts[g]);
      OFINDEX_TRY(Settle(false));
    } else if (EqualsAnInteger(value.real)) {
      integers_.Add(static_cast<int64_t>(value.real), counts[g]);
    } else {
      reals_.Add(value.real, counts[g]);
    }
  }
  return Settle(false);
}

Result<void> ColumnClasses::Settle(bool at_once) {
  if (at_once || integers_.due()) integers_.Settle();
  if (at_once || reals_.due()) reals_.Settle();
  if (at_once || strings_.due()) strings_.Settle();
  if (integers_.all().size() + reals_.all().size() + strings_.all().size() <= limits_.classes &&
      strings_.bytes() <= limits_.bytes) {
    return {};
  }
  return Fail(
      ErrorCode::kLimit,
      StrCat("column '", Printable(column_.name), "' has too many distinct values; expected at most ",
             FormatCount(limits_.classes), ", and ", FormatBytes(static_cast<double>(limits_.bytes)), " of them"),
      "use a column with fewer values");
}

// Numbers by value, then TEXT, then BLOB.
void ColumnClasses::NumberAll() {
  const auto& integers = integers_.all();
  const auto& reals = reals_.all();
  const auto& strings = strings_.all();
  const size_t numbers = integers.size() + reals.size();
  places_.reserve(numbers + strings.size());
  const auto place = [&](size_t at) { places_.push_back(static_cast<uint32_t>(at)); };
  size_t real = 0;
  for (size_t i = 0; i < integers.size(); ++i) {
    while (real < reals.size() && CompareNumbers(integers[i].key, reals[real].key) > 0) place(integers.size() + real++);
    place(i);
  }
  while (real < reals.size()) place(integers.size() + real++);
  for (const bool text : {true, false}) {
    for (size_t t = 0; t < strings.size(); ++t) {
      if (IsText(AsBytes(strings[t].key)) == text) place(numbers + t);
    }
  }
  classes_.resize(places_.size());
  for (uint32_t c = 0; c < places_.size(); ++c) classes_[places_[c]] = c;
}

Result<void> ColumnClasses::ForEach(ColumnStore& store, const Visit& visit, const std::atomic<bool>* cancel) const {
  std::vector<uint32_t> classes;
  return ForEachChunk(store, column_, records_, cancel,
                      [&](uint64_t first, uint64_t count, const Chunk& chunk) -> Result<void> {
                        const GroupNumbers groups = NumberGroups(chunk);
                        std::vector<uint32_t> class_of(groups.values.size());
                        for (size_t g = 0; g < class_of.size(); ++g) class_of[g] = Find(groups.values[g]);
                        classes.resize(count);
                        for (uint64_t r = 0; r < count; ++r) classes[r] = class_of[groups.number[r]];
                        visit(first, classes);
                        return {};
                      });
}

uint32_t ColumnClasses::Find(const Chunk::Value& value) const {
  const size_t integers = integers_.all().size();
  const size_t reals = reals_.all().size();
  const auto class_at = [&](size_t begin, size_t place, size_t count) {
    return place < count ? classes_[begin + place] : kNone;
  };
  switch (value.type) {
    case Type::kNull: break;
    case Type::kInteger: return class_at(0, PlaceOf(integers_.all(), value.integer), integers);
    case Type::kReal: {
      if (!EqualsAnInteger(value.real)) return class_at(integers, PlaceOf(reals_.all(), value.real), reals);
      return class_at(0, PlaceOf(integers_.all(), static_cast<int64_t>(value.real)), integers);
    }
    case Type::kText:
    case Type::kBlob:
      return class_at(integers + reals, PlaceOf(strings_.all(), AsText(value.bytes)), strings_.all().size());
  }
  return kNone;
}

ColumnValue ColumnClasses::value(uint32_t number) const {
  const size_t place = places_[number];
  const size_t integers = integers_.all().size();
  const size_t numbers = integers + reals_.all().size();
  if (place < integers) {
    const int64_t integer = integers_.all()[place].key;
    if (real_) return {.type = Type::kReal, .real = static_cast<double>(integer)};
    return {.type = Type::kInteger, .integer = integer};
  }
  if (place < numbers) return {.type = Type::kReal, .real = reals_.all()[place - integers].key};
  const std::string& bytes = strings_.all()[place - numbers].key;
  return {.type = IsText(AsBytes(bytes)) ? Type::kText : Type::kBlob, .bytes = bytes};
}

uint64_t ColumnClasses::count(uint32_t number) const {
  const size_t place = places_[number];
  const size_t integers = integers_.all().size();
  const size_t numbers = integers + reals_.all().size();
  if (place < integers) return integers_.all()[place].count;
  return place < numbers ? reals_.all()[place - integers].count : strings_.all()[place - numbers].count;
}

}  // namespace ofindex
