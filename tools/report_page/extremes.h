#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// Returns the first record whose value in `column`, or an element of whose list, is `value`; nullopt if there is none.
/// Zone maps rule out most blocks. `cancel` may be null. Errors: those of Predicate::Evaluate.
[[nodiscard]] Result<std::optional<uint64_t>> FirstRecordWith(ColumnStore& store, const Column& column,
                                                              const ColumnValue& value,
                                                              const std::atomic<bool>* cancel);

/// The records at the ends of columns, each once, with the ends that it is at: "least label". A value type.
class ExtremeRecords {
 public:
  /// At most so many records are kept, and so many labels of one; later ones are dropped.
  static constexpr size_t kMaxRecords = 48;
  static constexpr size_t kMaxLabels = 12;

  struct Entry {
    uint64_t ordinal = 0;
    std::vector<std::string> labels = {};
    size_t more_labels = 0;
  };

  /// Adds a record, and returns whether it is among those that are kept.
  bool Add(uint64_t ordinal, std::string label);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] uint64_t dropped() const { return dropped_; }  ///< calls of Add() for records that were not kept

 private:
  std::vector<Entry> entries_;
  uint64_t dropped_ = 0;
};

}  // namespace ofindex
