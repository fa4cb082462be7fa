#include "proto/extract/path_tree.h"

#include <utility>

namespace ofindex {

PathTree::PathTree(const std::vector<FieldPlan::Path>& paths) {
  for (size_t leaf = 0; leaf < paths.size(); ++leaf) {
    uint32_t node = 0;
    for (const FieldPlan::Field& field : paths[leaf].fields) node = ChildOrNew(node, field);
    nodes_[node].leaf = static_cast<uint32_t>(leaf);
  }
}

uint32_t PathTree::ChildOrNew(uint32_t node, FieldPlan::Field field) {
  if (const Node* child = Child(nodes_[node], field.number)) return static_cast<uint32_t>(child - nodes_.data());
  const auto added = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({.field = field});
  std::vector<uint32_t>& children = nodes_[node].children;
  const auto place = std::find_if(children.begin(), children.end(),
                                  [&](uint32_t child) { return nodes_[child].field.number > field.number; });
  children.insert(place, added);
  return added;
}

WireType ValueType(FieldPlan::Scalar scalar) {
  switch (scalar) {
    case FieldPlan::Scalar::kFixed32:
    case FieldPlan::Scalar::kSfixed32:
    case FieldPlan::Scalar::kFloat: return WireType::kFixed32;
    case FieldPlan::Scalar::kFixed64:
    case FieldPlan::Scalar::kDouble: return WireType::kFixed64;
    case FieldPlan::Scalar::kBytes: return WireType::kBytes;
    default: return WireType::kVarint;
  }
}

FeatureKind KindOf(FieldPlan::Scalar scalar) {
  switch (scalar) {
    case FieldPlan::Scalar::kFloat: return FeatureKind::kFloat;
    case FieldPlan::Scalar::kDouble: return FeatureKind::kDouble;
    case FieldPlan::Scalar::kBytes: return FeatureKind::kBytes;
    default: return FeatureKind::kInt64;
  }
}

uint64_t NumberBits(FieldPlan::Scalar scalar, uint64_t value) {
  const auto low = static_cast<uint32_t>(value);
  switch (scalar) {
    case FieldPlan::Scalar::kInt32:
    case FieldPlan::Scalar::kSfixed32: return static_cast<uint64_t>(static_cast<int32_t>(low));
    case FieldPlan::Scalar::kUint32:
    case FieldPlan::Scalar::kFixed32:
    case FieldPlan::Scalar::kFloat: return low;
    // ZigZag: the lowest bit is the sign (protobuf.dev/programming-guides/encoding, "Signed Integers").
    case FieldPlan::Scalar::kSint32: return static_cast<uint64_t>(static_cast<int32_t>(low >> 1 ^ (0 - (low & 1))));
    case FieldPlan::Scalar::kSint64: return value >> 1 ^ (0 - (value & 1));
    case FieldPlan::Scalar::kBool: return value != 0;
    default: return value;
  }
}

PathLeaf::PathLeaf(const FieldPlan::Path& path, uint32_t feature, bool whole)
    : scalar_(path.scalar),
      value_type_(ValueType(path.scalar)),
      repeated_(path.fields.back().repeated),
      whole_(whole),
      feature_(feature) {
  Clear();
}

bool PathLeaf::BeginsValue(uint64_t message) {
  const bool begins = repeated_ || std::exchange(message_, message) != message;
  if (begins) {
    ++values_.count;
    largest_before_ = values_.largest;
  }
  return begins;
}

void PathLeaf::AddNumber(uint64_t bits, uint64_t message) {
  const bool begins = BeginsValue(message);
  values_.bits = values_.count == 1 ? bits : 0;
  if (!whole_) return;
  if (!begins) numbers_.pop_back();
  numbers_.push_back(bits);
}

void PathLeaf::AddBytes(PayloadRange range, uint64_t message) {
  const bool begins = BeginsValue(message);
  const bool is_one = values_.count == 1;
  values_.bits = is_one ? range.offset : 0;
  values_.size = is_one ? range.size : 0;
  values_.largest = std::max(largest_before_, range.size);
  if (!whole_) return;
  if (!begins) ranges_.pop_back();
  ranges_.push_back(range);
}

void PathLeaf::Count(uint64_t count) {
  values_.count += static_cast<uint32_t>(count);
  values_.bits = 0;
}

void PathLeaf::MoveTo(FoundFeatures& found) {
  if (empty()) return;
  if (whole_ && values_.count != 1) {
    const bool is_bytes = values_.kind == FeatureKind::kBytes;
    values_.first = static_cast<uint32_t>(is_bytes ? found.ranges.size() : found.numbers.size());
    found.numbers.insert(found.numbers.end(), numbers_.begin(), numbers_.end());
    found.ranges.insert(found.ranges.end(), ranges_.begin(), ranges_.end());
  }
  *found.Place(feature_, false) = values_;
  Clear();
}

void PathLeaf::Clear() {
  const FeatureKind kind = KindOf(scalar_);
  values_ = {.feature = feature_, .kinds = BitOf(kind), .kind = kind};
  message_ = 0;
  largest_before_ = 0;
  numbers_.clear();
  ranges_.clear();
}

}  // namespace ofindex
