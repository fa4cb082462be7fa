#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "proto/features.h"
#include "tools/report_page/pictures.h"

namespace ofindex {

/// The shapes of features that hold pixels as plain numbers or bytes. Without one, nothing tells 784 numbers that are
/// an image from those that are not.
class PixelShapes {
 public:
  /// Sets the shape of `feature` in all records.
  void Set(std::string feature, PixelShape shape) { given_[std::move(feature)] = shape; }

  /// Returns the shape of the `numbers` values of feature `name` in `record`: the one that was given, or the one that
  /// other features of the record state: `height` and `width` (and `channels` or `depth`), or `shape`, in the folder of
  /// `name` or at the top. Nothing if neither fits the number of values exactly.
  [[nodiscard]] std::optional<PixelShape> ShapeOf(const DecodedRecord& record, std::string_view name,
                                                  uint64_t numbers) const;

 private:
  std::map<std::string, PixelShape, std::less<>> given_;
};

}  // namespace ofindex
