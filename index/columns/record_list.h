#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace ofindex {

/// Records of a block, ascending. The leading records without a gap, usually all, take only a counter. Not thread-safe.
class RecordList {
 public:
  /// Adds `record`, which must be larger than all records in the list.
  void Add(uint32_t record) {
    if (record == dense_) {
      ++dense_;
    } else {
      others_.push_back(record);
    }
  }

  /// Adds `count` consecutive records from `first` on, which must be larger than all records in the list.
  void AddRange(uint32_t first, uint32_t count) {
    if (first == dense_) {
      dense_ += count;
    } else {
      for (uint32_t i = 0; i < count; ++i) others_.push_back(first + i);
    }
  }

  [[nodiscard]] size_t size() const { return dense_ + others_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] uint32_t back() const { return others_.empty() ? dense_ - 1 : others_.back(); }

  [[nodiscard]] std::vector<uint32_t> List() const {
    std::vector<uint32_t> list(dense_);
    std::iota(list.begin(), list.end(), uint32_t{0});
    list.insert(list.end(), others_.begin(), others_.end());
    return list;
  }

  /// Removes the records and keeps the memory.
  void Clear() {
    dense_ = 0;
    others_.clear();
  }

  [[nodiscard]] uint64_t memory() const { return others_.capacity() * sizeof(uint32_t); }

 private:
  uint32_t dense_ = 0;            // [0, dense_) are in the list
  std::vector<uint32_t> others_;  // the first one is larger than dense_
};

}  // namespace ofindex
