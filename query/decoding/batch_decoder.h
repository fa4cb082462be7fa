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

class DecoderStatePool;

/// Decodes features of records into arrays. Immutable and thread-safe. Copies share the checked specs and a pool of
/// decoder states, which keep memory and the shape of records from one request to the next.
///
/// Messages are read as libprotobuf reads them, see DecodedRecord. Integer features become integers, and bool if they
/// are 0 or 1; float and double features float32 or float64; bytes features bytes. Only raw features are cast to other
/// types. A value that does not fit is an error and never wraps; a double is rounded to a float32.
///
/// For features that were not requested, names and lengths are read and most bytes are skipped, so malformed ones may
/// go unnoticed; see PlainDecoder. Everything else in a record is checked.
class BatchDecoder {
 public:
  /// Checks `specs`. Errors: kUsage if a name occurs twice, if raw is requested for bytes, or if a default has the
  /// wrong type or size or belongs to another form than kFixed.
  [[nodiscard]] static Result<BatchDecoder> Of(std::vector<FeatureSpec> specs);

  /// The specs, with each default repeated to the number of values.
  [[nodiscard]] const std::vector<FeatureSpec>& specs() const { return plan_->specs(); }

  /// Decodes the records `ordinals` of `source`, in that order; repeats are allowed. Uses up to `threads` threads if
  /// there are enough records for them. The number of threads affects neither the result nor the error, which is that
  /// of the first failing record in the requested order. `cancel` may be null; it is checked at least every 256
  /// records.
  ///
  /// Errors: kFeature if a feature is not as requested, or the payload is opaque (the text names the record); kDamage
  /// if the payload is malformed, or the record is marked bad; kLimit if there is no memory; kInterrupted if `cancel`
  /// was set; those of PayloadSource::Fetch.
  [[nodiscard]] Result<DecodedBatch> Decode(const PayloadSource& source, std::span<const uint64_t> ordinals,
                                            unsigned threads = 1, const std::atomic<bool>* cancel = nullptr) const;

 private:
  BatchDecoder(std::shared_ptr<const DecodingPlan> plan, std::shared_ptr<DecoderStatePool> pool)
      : plan_(std::move(plan)), pool_(std::move(pool)) {}

  std::shared_ptr<const DecodingPlan> plan_;
  std::shared_ptr<DecoderStatePool> pool_;
};

}  // namespace ofindex
