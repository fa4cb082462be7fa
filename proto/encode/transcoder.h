#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/encode/payload_builder.h"
#include "proto/features.h"

namespace ofindex {

/// What to do with values that the other message has no kind for.
enum class Lossy {
  kRefuse,  ///< fail, and name the feature
  kAllow,   ///< an OFRecord's int32 becomes int64; its double becomes float, rounded, infinite beyond a float's range
};

/// Turns payloads of one message into those of another, one after the other: features keep their names, kinds and
/// values, the order of names is byte order. Fields that the schema does not have are not taken over. Not thread-safe.
class Transcoder {
 public:
  /// Errors: kUsage  there is no way from `from` to `to`: one of them is opaque, or feature lists would be lost.
  [[nodiscard]] static Result<Transcoder> Create(PayloadKind from, PayloadKind to, Lossy lossy);

  /// The other form of `payload`, valid until the next call, and as long as `payload` where both are of one kind.
  /// Errors: kDamage  `payload` is malformed; kFeature  a feature has no home in the other message; kLimit.
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
