#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// How the records of one dataset were compared.
struct RecordFacts {
  uint64_t records = 0;      ///< of the dataset, or of the view of it
  uint64_t bad = 0;          ///< marked bad, and not compared
  uint64_t without = 0;      ///< without a byte string in the feature, and not compared
  uint64_t read = 0;         ///< records that were read, because the index has no hashes of them
  uint64_t undecodable = 0;  ///< whose images could not be decoded, and were compared by their bytes alone
  uint64_t plain = 0;        ///< whose images show too little, and were compared by their bytes alone

  /// The first record that could not be decoded, and why; the cause is empty if there is none.
  uint64_t first_undecodable = 0;
  std::string cause = {};

  [[nodiscard]] uint64_t compared() const { return records - bad - without; }

  /// Adds what another thread counted of the same dataset.
  void Add(const RecordFacts& other);
};

/// The records of one dataset that are compared: those of a view, without the bad ones. Immutable and thread-safe.
class ChosenRecords {
 public:
  /// `rows` chooses some; null: all. `dataset` and `rows` must outlive this object. Errors: kIndex.
  [[nodiscard]] static Result<ChosenRecords> Of(const Dataset& dataset, const View* rows);

  /// Sets `ordinals` to the records from `begin` to less than `end`, ascending, and counts them and the bad ones.
  void Choose(uint64_t begin, uint64_t end, std::vector<uint64_t>& ordinals, RecordFacts& facts) const;

  [[nodiscard]] bool has_all() const { return rows_ == nullptr; }
  [[nodiscard]] ColumnStore& store() const { return *store_; }

 private:
  ChosenRecords(std::shared_ptr<ColumnStore> store, const View* rows, std::vector<uint64_t> bad)
      : store_(std::move(store)), rows_(rows), bad_(std::move(bad)) {}

  std::shared_ptr<ColumnStore> store_;
  const View* rows_;
  std::vector<uint64_t> bad_;  // ascending
};

}  // namespace ofindex
