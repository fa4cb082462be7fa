#pragma once

#include "base/result.h"
#include "bench/pairs/input/data.h"

namespace ofindex {

/// The features of ImageRecords that a benchmark builds as columns: typical ones for selections.
inline constexpr char kFourColumns[] = "label,height,width,score";

/// 4,000,000 Examples of six features in TFRecord `shards`, about 170 bytes each with framing; written on first use and
/// kept, like the data of bench/pairs/input/data.h, and the same on every machine. Every record has one value of each:
///
/// label   int64  one of 1,000, in no order; frequency roughly proportional to 1 / (label + 1) (Zipf's law)
/// height  int64  uniform in [64, 2048]
/// width   int64  uniform in [64, 2048]
/// id      int64  the record's ordinal
/// score   float  uniform in [0, 1)
/// name    bytes  "imagenet/train/class_0017/img_00001234.jpg", made from label and id
///
/// Errors: kIo.
[[nodiscard]] Result<DataSet> ImageRecords(uint64_t shards = 8);

}  // namespace ofindex
