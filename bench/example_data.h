#pragma once

#include "base/result.h"
#include "bench/data.h"

namespace ofindex {

/// The features of ImageRecords that a benchmark builds as columns: those that a selection would be made by.
inline constexpr char kFourColumns[] = "label,height,width,score";

/// 4,000,000 Examples of six features in 8 TFRecord shards, about 170 bytes each with their framing; written on first
/// use and kept, like those of bench/data.h, and the same on every machine. Every record has one value of each:
///
///   label   int64  one of 1,000, twice as often as one of twice its number (roughly Zipf's law), in no order
///   height  int64  even in [64, 2048]
///   width   int64  even in [64, 2048]
///   id      int64  the record's ordinal
///   score   float  even in [0, 1)
///   name    bytes  "imagenet/train/class_0017/img_00001234.jpg", of label and id
///
/// Errors: kIo.
[[nodiscard]] Result<DataSet> ImageRecords();

}  // namespace ofindex
