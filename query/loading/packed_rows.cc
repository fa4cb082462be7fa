#include "query/loading/packed_rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/text.h"

namespace ofindex {
namespace {

/// Sets `array` to one with room for the values of all rows. Their content is undefined.
Result<void> MakeRows(const RowPlan& plan, DataType type, FeatureArray& array) {
  array.type = type;
  array.count = plan.ends.size() * plan.width;
  if (!array.values.Reserve(array.count * ItemBytes(type)) || !array.values.Extend(array.count * ItemBytes(type))) {
    return Fail(ErrorCode::kLimit,
                StrCat("out of memory for a batch of ", Counted(plan.ends.size(), "row"), " of ",
                       FormatCount(plan.width), " values"),
                "ask for fewer rows at once");
  }
  return {};
}

Result<void> CheckLengths(const FeatureArray& from, const FeatureSpec& spec, const RowPlan& plan,
                          const PayloadSource& source, std::span<const uint64_t> ordinals) {
  if (from.form != FeatureSpec::Form::kRagged || from.type == DataType::kBytes) {
    return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(spec.name), "': expected ragged numbers to pack"),
                "leave the feature out, or do not pack");
  }
  for (size_t i = 0; i < ordinals.size(); ++i) {
    const auto values = static_cast<uint64_t>(from.rows[i + 1] - from.rows[i]);
    if (values == plan.lengths[i]) continue;
    const Error differs = {ErrorCode::kFeature,
                           StrCat("feature '", Printable(spec.name), "': ", Counted(values, "value"),
                                  "; the batch was planned for ", FormatCount(plan.lengths[i])),
                           "give lengths that are those of every packed feature, such as its column NAME#count"};
    return tl::unexpected(source.Explain(ordinals[i], differs));
  }
  return {};
}

// Copies the values of each row, which lie next to each other in `from`, and fills the row up.
void CopyValues(const FeatureArray& from, const RowPlan& plan, FeatureArray& to) {
  const size_t item = ItemBytes(from.type);
  uint8_t* out = to.values.data();
  int64_t begin = 0;
  for (const uint64_t records : plan.ends) {
    const int64_t end = from.rows[records];
    const size_t bytes = static_cast<size_t>(end - begin) * item;
    if (bytes > 0) std::memcpy(out, from.values.data() + static_cast<size_t>(begin) * item, bytes);
    std::memset(out + bytes, 0, plan.width * item - bytes);
    out += plan.width * item;
    begin = end;
  }
}

void NumberValues(const RowPlan& plan, FeatureArray& segments, FeatureArray& positions) {
  auto* segment = reinterpret_cast<int32_t*>(segments.values.data());
  auto* position = reinterpret_cast<int32_t*>(positions.values.data());
  uint64_t record = 0;
  for (const uint64_t end : plan.ends) {
    uint64_t left = plan.width;
    for (int32_t number = 1; record < end; ++record, ++number) {
      const uint64_t length = plan.lengths[record];
      std::fill_n(segment, length, number);
      std::iota(position, position + length, 0);
      segment += length;
      position += length;
      left -= length;
    }
    segment = std::fill_n(segment, left, 0);
    position = std::fill_n(position, left, 0);
  }
}

}  // namespace

Result<DecodedBatch> PackRows(const DecodedBatch& batch, const std::vector<FeatureSpec>& specs, const RowPlan& plan,
                              const PayloadSource& source, std::span<const uint64_t> ordinals) {
  const size_t features = batch.arrays.size();
  DecodedBatch rows{.records = batch.records};
  rows.arrays.resize(features + 2);
  FeatureArray& segments = rows.arrays[features];
  FeatureArray& positions = rows.arrays[features + 1];
  // All memory first: to fill the rows of a batch for which there is none may take long.
  for (size_t i = 0; i < features; ++i) {
    OFINDEX_TRY(CheckLengths(batch.arrays[i], specs[i], plan, source, ordinals));
    OFINDEX_TRY(MakeRows(plan, batch.arrays[i].type, rows.arrays[i]));
  }
  OFINDEX_TRY(MakeRows(plan, DataType::kInt32, segments));
  OFINDEX_TRY(MakeRows(plan, DataType::kInt32, positions));
  for (size_t i = 0; i < features; ++i) CopyValues(batch.arrays[i], plan, rows.arrays[i]);
  NumberValues(plan, segments, positions);
  return rows;
}

}  // namespace ofindex
