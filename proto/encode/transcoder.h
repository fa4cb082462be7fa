#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/encode/payload_builder.h"
#include "proto/features.h"

namespace ofindex {

/// What to do with values whose kind the other message lacks.
enum class Lossy {
  kRefuse,  ///< fail, and name the feature
  kAllow,   ///< an OFRecord's int32 becomes int64; its double becomes float, rounded, infinite beyond a float's range
};

/// Converts payloads from one message to another, one after the other. Features keep their names, kinds and values;
/// names are in byte order. Fields unknown to the schema are dropped. Not thread-safe.
class Transcoder {
 public:
  /// Returns a transcoder. Errors: kUsage if there is no conversion from `from` to `to`: one of them is opaque, or
  /// feature lists would be lost.
  [[nodiscard]] static Result<Transcoder> Create(PayloadKind from, PayloadKind to, Lossy lossy);

  /// Returns `payload` converted. Valid until the next call, and if both kinds are the same, only as long as `payload`.
  /// Errors: kDamage if `payload` is malformed; kFeature if a feature has no place in the other message; kLimit.
  [[nodiscard]] Result<ByteView> Convert(ByteView payload);

 private:
  Transcoder(PayloadKind from, PayloadKind to, Lossy lossy);

  [[nodiscard]] Result<FeatureData> Rehomed(const Feature& feature);

  PayloadKind from_;
  PayloadKind to_;
  Lossy lossy_;
  DecodedRecord record_;
  PayloadBuilder builder_;
  std::vector<float> floats_;
};

}  // namespace ofindex
