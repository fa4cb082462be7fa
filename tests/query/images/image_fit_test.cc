#include "query/images/image_fit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.h"

namespace ofindex {
namespace {

std::string Spell(const Placement& placement) {
  const auto whole = [](double value) { return static_cast<int64_t>(value * 100); };
  return StrCat(whole(placement.left), ",", whole(placement.top), " ", whole(placement.width), "x",
                whole(placement.height), " -> ", placement.to_left, ",", placement.to_top, " ", placement.to_width, "x",
                placement.to_height);
}

TEST_CASE("an image is stretched, cropped or padded to a size") {
  struct Row {
    ImageFit fit;
    uint32_t width, height, to_width, to_height;
    const char* placement;  // parts in hundredths of a pixel
    uint32_t reduction;
  };
  const std::vector<Row> rows = {
      {ImageFit::kStretch, 500, 375, 224, 224, "0,0 50000x37500 -> 0,0 224x224", 1},
      {ImageFit::kStretch, 448, 448, 224, 224, "0,0 44800x44800 -> 0,0 224x224", 2},
      {ImageFit::kStretch, 447, 448, 224, 224, "0,0 44700x44800 -> 0,0 224x224", 1},
      {ImageFit::kStretch, 4000, 3000, 100, 100, "0,0 400000x300000 -> 0,0 100x100", 8},
      {ImageFit::kStretch, 10, 10, 224, 100, "0,0 1000x1000 -> 0,0 224x100", 1},
      {ImageFit::kCrop, 500, 400, 200, 200, "5000,0 40000x40000 -> 0,0 200x200", 2},
      {ImageFit::kCrop, 300, 500, 200, 100, "0,17500 30000x15000 -> 0,0 200x100", 1},
      {ImageFit::kCrop, 1, 1000, 10, 10, "0,49950 100x100 -> 0,0 10x10", 1},
      {ImageFit::kPad, 500, 400, 200, 200, "0,0 50000x40000 -> 0,20 200x160", 2},
      {ImageFit::kPad, 100, 400, 40, 40, "0,0 10000x40000 -> 15,0 10x40", 8},
      {ImageFit::kPad, 1, 1000, 10, 10, "0,0 100x100000 -> 4,0 1x10", 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.placement);
    const Placement placement = Place(row.fit, row.width, row.height, row.to_width, row.to_height);
    CHECK(Spell(placement) == row.placement);
    CHECK(Reduction(placement) == row.reduction);
  }
}

}  // namespace
}  // namespace ofindex
