#include "tools/report_page/pixel_shapes.h"

#include <vector>

#include "base/text.h"

namespace ofindex {
namespace {

// Returns the values of an integer feature; nothing if it is none, or holds more than four.
std::vector<int64_t> IntegersOf(const DecodedRecord& record, const std::string& name) {
  const Feature* feature = record.Find(AsBytes(name));
  if (feature == nullptr || feature->value.count > 4) return {};
  if (feature->value.kind != FeatureKind::kInt64 && feature->value.kind != FeatureKind::kInt32) return {};
  const auto values = record.integers(feature->value);
  return {values.begin(), values.end()};
}

std::optional<PixelShape> ShapeOfSides(const std::vector<int64_t>& sides, uint64_t numbers) {
  if (sides.size() < 2 || sides.size() > 3) return std::nullopt;
  std::string text;
  for (const int64_t side : sides) text += StrCat(text.empty() ? "" : "x", side);
  const std::optional<PixelShape> shape = ParsePixelShape(text);
  return shape && shape->numbers() == numbers ? shape : std::nullopt;
}

// Returns the shape that features whose names begin with `folder` state.
std::optional<PixelShape> StatedShape(const DecodedRecord& record, const std::string& folder, uint64_t numbers) {
  if (const auto shape = ShapeOfSides(IntegersOf(record, folder + "shape"), numbers)) return shape;
  std::vector<int64_t> sides;
  for (const char* side : {"height", "width"}) {
    const std::vector<int64_t> one = IntegersOf(record, folder + side);
    if (one.size() != 1) return std::nullopt;
    sides.push_back(one[0]);
  }
  if (const auto shape = ShapeOfSides(sides, numbers)) return shape;
  for (const char* third : {"channels", "depth"}) {
    const std::vector<int64_t> one = IntegersOf(record, folder + third);
    if (one.size() == 1) return ShapeOfSides({sides[0], sides[1], one[0]}, numbers);
  }
  return std::nullopt;
}

}  // namespace

std::optional<PixelShape> PixelShapes::ShapeOf(const DecodedRecord& record, std::string_view name,
                                               uint64_t numbers) const {
  if (const auto given = given_.find(name); given != given_.end()) {
    return given->second.numbers() == numbers ? std::optional(given->second) : std::nullopt;
  }
  if (numbers < 4) return std::nullopt;
  const std::string folder(name.substr(0, name.rfind('/') + 1));
  if (const auto shape = StatedShape(record, folder, numbers)) return shape;
  return folder.empty() ? std::nullopt : StatedShape(record, "", numbers);
}

}  // namespace ofindex
