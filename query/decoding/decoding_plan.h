#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "query/decoding/feature_spec.h"

namespace ofindex {

/// A checked request for features: the specs with all defaults filled in, and an index of their names. Thread-safe, and
/// immutable except for the remembered sizes of arrays. Does not move, because it views its own names.
class DecodingPlan {
 public:
  static constexpr uint32_t kUnwanted = ~uint32_t{0};

  explicit DecodingPlan(std::vector<FeatureSpec> specs);
  DecodingPlan(const DecodingPlan&) = delete;
  DecodingPlan& operator=(const DecodingPlan&) = delete;

  /// Returns `specs`, with every default repeated to the spec's number of values. Errors: as BatchDecoder::Of.
  [[nodiscard]] static Result<std::vector<FeatureSpec>> Check(std::vector<FeatureSpec> specs);

  [[nodiscard]] const std::vector<FeatureSpec>& specs() const { return specs_; }

  /// Returns the index of the spec called `name`, or kUnwanted.
  [[nodiscard]] uint32_t Find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? kUnwanted : found->second;
  }

  /// Returns true if a name may be that of a feature list.
  [[nodiscard]] bool may_have_lists() const { return may_have_lists_; }

  /// Returns the average bytes of values per record of feature `feature` in the last request; 0 before the first.
  [[nodiscard]] uint64_t RecordBytes(size_t feature) const {
    return record_bytes_[feature].load(std::memory_order_relaxed);
  }
  void Remember(size_t feature, uint64_t record_bytes) const {
    record_bytes_[feature].store(record_bytes, std::memory_order_relaxed);
  }

 private:
  std::vector<FeatureSpec> specs_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  bool may_have_lists_ = false;
  std::unique_ptr<std::atomic<uint64_t>[]> record_bytes_;
};

}  // namespace ofindex
