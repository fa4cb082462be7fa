#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/decoding/decoded_batch.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_spec.h"
#include "query/decoding/payload_source.h"

namespace ofindex {

class ToolStash;

/// Turns features of records into arrays. Immutable and thread-safe; copies share what they are made of, and what they
/// keep for the next request: some memory, and what records and arrays were like.
///
/// Messages are read as libprotobuf reads them, see DecodedRecord. Integer features become integers, and bool if they
/// are 0 or 1; float and double features float32 or float64; bytes features bytes. Only raw casts the one to the other.
/// What does not fit is an error and never wrapped; a double is rounded to a float32.
///
/// Of features that were not asked for, names and lengths are read, and their bytes mostly passed over: that they are
/// malformed may go unnoticed; see PlainWalk. Everything else in a record is checked.
class BatchDecoder {
 public:
  /// Errors: kUsage  a name twice, raw of bytes, a default that is not of the spec's type and size, or not of kFixed.
  [[nodiscard]] static Result<BatchDecoder> Of(std::vector<FeatureSpec> specs);

  /// The specs, with defaults of as many values as they have.
  [[nodiscard]] const std::vector<FeatureSpec>& specs() const { return plan_->specs(); }

  /// Decodes the records `ordinals` of `source`, in the order asked for; repeats are allowed. On up to `threads`
  /// threads if there are enough records for them. The outcome does not depend on their number, nor does the error,
  /// which is that of the first record asked for that has one. `cancel` may be null; it is looked at every 256 records
  /// or fewer.
  ///
  /// Errors: kFeature      a feature is not what was asked for, or the payload is opaque; the text names the record
  ///         kDamage       the payload is malformed, or the record is marked bad
  ///         kLimit        there is no memory
  ///         kInterrupted  `cancel` was set
  ///         and those of PayloadSource::Fetch
  [[nodiscard]] Result<DecodedBatch> Decode(const PayloadSource& source, std::span<const uint64_t> ordinals,
                                            unsigned threads = 1, const std::atomic<bool>* cancel = nullptr) const;

 private:
  BatchDecoder(std::shared_ptr<const DecodingPlan> plan, std::shared_ptr<ToolStash> stash)
      : plan_(std::move(plan)), stash_(std::move(stash)) {}

  std::shared_ptr<const DecodingPlan> plan_;
  std::shared_ptr<ToolStash> stash_;
};

}  // namespace ofindex
