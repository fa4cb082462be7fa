#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "index/attachments/attached_column.h"
#include "index/chunks/chunk.h"
#include "index/chunks/string_pool.h"
#include "query/attaching/table_rows.h"

namespace ofindex {

/// The values of one column while rows arrive, in any order: one for each record, which are numbered without gaps.
/// Takes 9 bytes a record, and each distinct byte string once. Not thread-safe.
class RecordValues {
 public:
  explicit RecordValues(uint64_t records) : kinds_(records), bits_(records) {}

  /// Sets the value of a record. Errors: kLimit if it is a byte string longer than a column holds.
  [[nodiscard]] Result<void> Set(uint64_t record, const TableValue& value);

  /// Returns true if the record has this value. NaN equals NaN.
  [[nodiscard]] bool Has(uint64_t record, const TableValue& value) const;

  /// Asks for the memory of a record's value; only a hint.
  void Prefetch(uint64_t record) const {
    __builtin_prefetch(&kinds_[record], 1);
    __builtin_prefetch(&bits_[record], 1);
  }

  /// Returns the values of the records [first, first + records) as a chunk, without data if all are NULL, and adds what
  /// they are to the description of `column`. Errors: kLimit if a chunk cannot hold them.
  [[nodiscard]] Result<ChunkRow> Encode(uint64_t first, uint32_t records, AttachedColumn& column);

 private:
  std::vector<FeatureKind> kinds_;  // kNone: NULL
  std::vector<uint64_t> bits_;      // of numbers; of bytes: their number in the pool
  StringPool strings_;
  ChunkBuilder builder_;
};

}  // namespace ofindex
