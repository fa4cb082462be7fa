#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/encode/payload_builder.h"
#include "proto/features.h"

namespace ofindex {

/// What to do with values of a kind that the other message type does not have.
enum class Lossy {
  kRefuse,  ///< fail; the message gives the feature
  kAllow,   ///< int32 becomes int64; double is rounded to float, and becomes infinite beyond a float's range
};

/// Converts one payload after another from one message type to another. Features keep their names, kinds and values,
/// and are sorted by name in byte order. Fields unknown to the schema are dropped. Not thread-safe.
class Transcoder {
 public:
  /// Returns a transcoder. Errors: kUsage if there is no conversion from `from` to `to`, because one of them is opaque
  /// or feature lists would be lost.
  [[nodiscard]] static Result<Transcoder> Create(PayloadKind from, PayloadKind to, Lossy lossy);

  /// Returns the converted payload. Valid until the next call or, if both message types are the same, as long as
  /// `payload`, which is then returned unchanged.
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
