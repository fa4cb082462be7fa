#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "proto/features.h"

namespace ofindex {

/// The groups in which the values of a chunk are stored, in this order, whatever the order of records. Integers of both
/// kinds are one group.
enum class ValueGroup : uint8_t { kIntegers = 0, kFloats = 1, kDoubles = 2, kBytes = 3, kNone = 4 };

inline constexpr size_t kValueGroups = 4;

[[nodiscard]] constexpr ValueGroup GroupOf(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: return ValueGroup::kIntegers;
    case FeatureKind::kFloat: return ValueGroup::kFloats;
    case FeatureKind::kDouble: return ValueGroup::kDoubles;
    case FeatureKind::kBytes: return ValueGroup::kBytes;
    case FeatureKind::kNone: break;
  }
  return ValueGroup::kNone;
}

/// One item per group, including kNone.
template <typename T>
struct ByGroup {
  std::array<T, kValueGroups + 1> all{};

  [[nodiscard]] T& operator[](ValueGroup group) { return all[static_cast<size_t>(group)]; }
  [[nodiscard]] const T& operator[](ValueGroup group) const { return all[static_cast<size_t>(group)]; }
};

}  // namespace ofindex
