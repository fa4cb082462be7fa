#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "proto/extract/field_plan.h"
#include "proto/extract/found_features.h"
#include "proto/features.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// The paths of a plan as a tree, with the outermost message at its root. A value type.
class PathTree {
 public:
  static constexpr uint32_t kNone = 0xffff'ffff;

  struct Node {
    FieldPlan::Field field = {};
    uint32_t leaf = kNone;                ///< index of the path that ends here; kNone for a message
    std::vector<uint32_t> children = {};  ///< nodes, by field number
  };

  explicit PathTree(const std::vector<FieldPlan::Path>& paths);

  /// Returns the child of `node` for field `number`; null if no path continues there.
  [[nodiscard]] const Node* Child(const Node& node, uint32_t number) const {
    const auto child = std::lower_bound(node.children.begin(), node.children.end(), number,
                                        [this](uint32_t c, uint32_t n) { return nodes_[c].field.number < n; });
    return child != node.children.end() && nodes_[*child].field.number == number ? &nodes_[*child] : nullptr;
  }

  [[nodiscard]] const Node& root() const { return nodes_[0]; }

 private:
  [[nodiscard]] uint32_t ChildOrNew(uint32_t node, FieldPlan::Field field);

  std::vector<Node> nodes_ = {Node{}};
};

/// Returns the wire type of one unpacked value of `scalar`.
[[nodiscard]] WireType ValueType(FieldPlan::Scalar scalar);

/// Returns the kind that an extractor reports for values of `scalar`.
[[nodiscard]] FeatureKind KindOf(FieldPlan::Scalar scalar);

/// Converts `value`, the bits of a number as encoded, to the bits that an extractor reports.
[[nodiscard]] uint64_t NumberBits(FieldPlan::Scalar scalar, uint64_t value);

/// The values that one record has under one path.
class PathLeaf {
 public:
  PathLeaf(const FieldPlan::Path& path, uint32_t feature, bool whole);

  [[nodiscard]] FieldPlan::Scalar scalar() const { return scalar_; }
  [[nodiscard]] WireType value_type() const { return value_type_; }
  [[nodiscard]] bool repeated() const { return repeated_; }
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool empty() const { return values_.count == 0; }

  /// Adds one value. `message` is the number of the innermost repeated message that contains it; a singular field
  /// replaces its earlier value in that message.
  void AddNumber(uint64_t bits, uint64_t message);
  void AddBytes(PayloadRange range, uint64_t message);

  /// Adds `count` values, more than one, of a repeated field without reading them.
  void Count(uint64_t count);

  /// Moves the values, if there are any, to `found`, and starts over.
  void MoveTo(FoundFeatures& found);
  void Clear();

 private:
  [[nodiscard]] bool BeginsValue(uint64_t message);

  FieldPlan::Scalar scalar_;
  WireType value_type_;
  bool repeated_;
  bool whole_;
  uint32_t feature_;
  ExtractedFeature values_;
  uint64_t message_ = 0;         // message that holds the last value
  uint64_t largest_before_ = 0;  // largest size of all values but the last
  std::vector<uint64_t> numbers_;
  std::vector<PayloadRange> ranges_;
};

}  // namespace ofindex
