#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/chunks/chunk.h"
#include "query/attaching/table_rows.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// The place of a record: the number of its block among those that are there, and its own in the block.
struct RecordPlace {
  uint64_t packed = UINT64_MAX;  ///< block << 16 | record: a block has up to 2^16 records

  static RecordPlace At(uint64_t block, uint32_t record) { return {block << 16 | record}; }
  [[nodiscard]] bool is_record() const { return packed != UINT64_MAX; }
  [[nodiscard]] uint64_t block() const { return packed >> 16; }
  [[nodiscard]] uint32_t record() const { return static_cast<uint32_t>(packed & 0xffff); }
};

/// Finds records by a key. Immutable, so thread-safe.
class RecordLookup {
 public:
  virtual ~RecordLookup() = default;

  /// The kinds that keys have, one bit each: kBytesKind, and the bit of kInt64.
  [[nodiscard]] virtual uint8_t kinds() const = 0;

  /// Sets found[i] to the first record whose key is keys[i], if there is one.
  virtual void Find(std::span<const TableValue> keys, std::span<RecordPlace> found) const = 0;

  /// Returns the next record with the same key, if there is one.
  [[nodiscard]] virtual RecordPlace Next(RecordPlace /*record*/) const { return {}; }

  /// Returns the key of some record, for messages; empty if no record has one.
  [[nodiscard]] virtual std::string Example() const = 0;
};

/// Returns a lookup of the records of `store` by their ordinals. `store` must outlive it.
[[nodiscard]] std::unique_ptr<RecordLookup> LookupByOrdinal(const ColumnStore& store);

/// A chunk of keys for each block that is there, without lists. Reals are no keys.
using KeyChunks = std::vector<std::shared_ptr<const Chunk>>;

/// Returns a lookup of the records whose keys are `keys`. Takes up to 24 bytes a record besides the chunks, and 8 more
/// if keys repeat. Errors: kLimit, kInterrupted.
[[nodiscard]] Result<std::unique_ptr<RecordLookup>> LookupByKey(KeyChunks keys, const Progress& progress);

/// Returns a key as messages show it: 'a.jpg' or 12.
[[nodiscard]] std::string ShownKey(const TableValue& key);

}  // namespace ofindex
