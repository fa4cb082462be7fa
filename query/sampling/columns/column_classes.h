#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/columns/column_store.h"
#include "query/stats/sorted_counts.h"

namespace ofindex {

/// The distinct values that may be held; beyond either, there are no classes.
struct ClassLimits {
  uint64_t classes = uint64_t{1} << 24;
  uint64_t bytes = uint64_t{1} << 30;  ///< of strings
};

/// The distinct values of a column as classes 0, 1, 2, ... in SQLite's order of values: equal numbers are one class;
/// NULL and NaN have no class. Takes 24 bytes per number and at least 48 per text. Immutable; may be used by any number
/// of threads.
class ColumnClasses {
 public:
  /// The class of a record whose value is NULL.
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// Reads the classes of the first `records` records. `cancel` may be null. Errors: kUsage if `column` has lists;
  /// kLimit if there are too many values; kInterrupted, and those of ColumnStore::Load.
  [[nodiscard]] static Result<ColumnClasses> Read(ColumnStore& store, Column column, uint64_t records,
                                                  const std::atomic<bool>* cancel = nullptr,
                                                  const ClassLimits& limits = {});

  /// Receives the classes of records `first`, `first` + 1, ....
  using Visit = std::function<void(uint64_t first, std::span<const uint32_t> classes)>;

  /// Calls `visit` with the class of each record read, block by block in ascending order. Errors: those of Read.
  [[nodiscard]] Result<void> ForEach(ColumnStore& store, const Visit& visit,
                                     const std::atomic<bool>* cancel = nullptr) const;

  [[nodiscard]] size_t size() const { return places_.size(); }
  [[nodiscard]] const Column& column() const { return column_; }

  /// The value of a class, and its number of records.
  [[nodiscard]] ColumnValue value(uint32_t number) const;
  [[nodiscard]] uint64_t count(uint32_t number) const;

  /// Returns the class of a value; kNone if no record has it.
  [[nodiscard]] uint32_t Find(const Chunk::Value& value) const;

 private:
  ColumnClasses(Column column, uint64_t records, bool real, const ClassLimits& limits)
      : column_(std::move(column)), records_(records), real_(real), limits_(limits) {}

  [[nodiscard]] Result<void> Add(const Chunk& chunk, uint64_t count);
  [[nodiscard]] Result<void> Settle(bool at_once);
  void NumberAll();

  Column column_;
  uint64_t records_;
  bool real_;  // no value is an integer, so none is shown as one
  ClassLimits limits_;
  // Values, ascending: integers, and reals that equal one; all other reals; bytes.
  SortedCounts<int64_t> integers_;
  SortedCounts<double> reals_;
  SortedCounts<std::string> strings_;
  std::vector<uint32_t> places_;   // of the classes in all three, concatenated
  std::vector<uint32_t> classes_;  // by place
};

}  // namespace ofindex
