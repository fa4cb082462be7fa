#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "index/columns/derivations.h"
#include "index/scan/payload_bytes.h"

namespace ofindex {

/// The columns that are derived from one feature in one block, collected record by record, in ascending order. Not
/// thread-safe.
///
///   length  the bytes of all values together
///   hash    the XXH3 of the value. Of several values, the XXH3 of their XXH3s, 8 bytes each, little-endian. The 64
///           bits are those of a signed integer, as SQL has it
///   image   what the header of the first value says (index/images/header_reader.h)
///
/// Records without a bytes value are NULL in all of them.
class DerivedValues {
 public:
  explicit DerivedValues(const std::vector<DerivedColumn>& columns);

  /// Adds a record whose values are at `values` in `payload`. If they cannot be read, `payload` knows.
  void Add(uint32_t record, PayloadBytes& payload, std::span<const PayloadRange> values);

  /// Appends the chunks of a block of `records` records, by role, and clears the values.
  void Encode(uint32_t records, std::vector<ChunkRow>& chunks);

 private:
  struct Values {
    ColumnRole role;
    ChunkBuilder builder = {};
  };

  // One of the facts of a record; null if it is not known, or if the column was not asked for.
  void AddInteger(ColumnRole role, uint32_t record, int64_t value);
  void AddImage(uint32_t record, PayloadBytes& payload, PayloadRange value);
  [[nodiscard]] ChunkBuilder* BuilderOf(ColumnRole role);

  std::vector<Values> columns_;  // by role
  bool images_ = false;
  bool hashes_ = false;
};

}  // namespace ofindex
