#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "proto/feature_data.h"
#include "proto/feature_lists.h"
#include "proto/features.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// Reads the values of a feature, or of a step, slice by slice. If the record was decoded with its values, there is one
/// slice, which is not copied; slices of an outline are decoded from the payload when they are asked for. Not
/// copyable; not thread-safe. Must not outlive the content of the record, nor its payload.
class FeatureSlices {
 public:
  /// Values of a slice of an outline: enough for speed, in little memory, since a value takes at most 16 bytes.
  static constexpr size_t kSliceValues = size_t{64} << 10;

  /// Slices of an outline have at most `most` values, at least 1.
  FeatureSlices(const DecodedRecord& record, FeatureValue value, size_t most = kSliceValues)
      : record_(record), value_(value), most_(most), left_(value.count) {
    if (record.outline_) outlined_.emplace(value.first);
  }
  FeatureSlices(const FeatureSlices&) = delete;
  FeatureSlices& operator=(const FeatureSlices&) = delete;

  /// Stores the next values in `*slice`, at least one; they are valid until the next call. Returns false at the end. Of
  /// an outline of bytes that another process has changed meanwhile, there may be fewer values than were counted.
  [[nodiscard]] bool Next(FeatureData* slice);

 private:
  // The position in the values of an outline. Values that were decoded need none, and are read one after the other in
  // every record, so for them it is not made.
  struct Outlined {
    explicit Outlined(size_t first) : next_list(first) {}
    Outlined(const Outlined&) = delete;
    Outlined& operator=(const Outlined&) = delete;

    size_t next_list;
    Malformed malformed;
    WireReader list{ByteView(), &malformed};
    ByteView packed;  // the rest of a packed list
    FeatureLists values;
  };

  [[nodiscard]] bool ReadSome(size_t most);
  void ReadPacked(size_t most);
  void Append(const WireField& field);

  const DecodedRecord& record_;
  const FeatureValue value_;
  const size_t most_;
  uint64_t left_;  // values not returned yet
  std::optional<Outlined> outlined_;
};

}  // namespace ofindex
