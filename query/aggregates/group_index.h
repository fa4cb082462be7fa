#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"

namespace ofindex {

/// Numbers groups by their keys: tuples of values, equal if all values are equal in SQL; NULL equals NULL. Groups are
/// numbered from 0 in the order in which they are added. Not thread-safe.
class GroupIndex {
 public:
  explicit GroupIndex(size_t width) : width_(width) {}

  /// Finds the groups of many keys, each of `width` values, one after the other in `keys`, and adds those that are
  /// missing. Returns their numbers. One call for many keys is faster than many calls: the accesses overlap.
  [[nodiscard]] std::vector<uint32_t> Add(std::span<const Chunk::Value> keys, size_t count);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(hashes_.size()); }

  /// Returns a view of value `i` of the key of `group`, as it was when the group was added.
  [[nodiscard]] Chunk::Value Key(uint32_t group, size_t i) const;

  [[nodiscard]] uint64_t memory() const;  ///< bytes in use

 private:
  /// A value; its bytes are in `bytes_`.
  struct Stored {
    ColumnValue::Type type;
    uint32_t size;    // of the bytes
    uint64_t number;  // the integer, the bits of the real, or the position of the bytes
  };

  void Reserve(size_t more);
  [[nodiscard]] uint32_t AddOne(std::span<const Chunk::Value> key, uint64_t hash);
  [[nodiscard]] bool Equals(uint32_t group, std::span<const Chunk::Value> key) const;
  void Store(const Chunk::Value& value);

  size_t width_;
  std::vector<uint64_t> hashes_;  // by group
  std::vector<Stored> keys_;      // width_ for each group
  std::vector<uint8_t> bytes_;
  std::vector<uint64_t> slots_;  // the upper half of a hash, and a group + 1; or 0
};

}  // namespace ofindex
