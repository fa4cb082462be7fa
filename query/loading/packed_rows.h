#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/decoding/decoded_batch.h"
#include "query/decoding/feature_spec.h"
#include "query/decoding/payload_source.h"

namespace ofindex {

/// How the records of a batch are packed into rows of `width` values. The records of a row follow each other.
struct RowPlan {
  uint64_t width = 0;             ///< less than 2^31
  std::vector<uint64_t> ends;     ///< of rows: the number of records before each
  std::vector<uint64_t> lengths;  ///< number of values that each record must have; in a row, at most `width` together
};

/// Returns `batch`, of the records `ordinals` of `source`, in rows: for each feature an array of rows times width
/// values; then two arrays of as many int32 values that apply to all features. In the first, the values of the first
/// record of a row have a 1, those of the second a 2, and so on; in the second, the values of each record are numbered
/// from 0. All arrays have zeros after the last record of a row.
///
/// Errors: kFeature if a record has another number of values than `plan` says (the text names the record), or a feature
/// of `specs` is not ragged or not numeric; kLimit if there is no memory.
[[nodiscard]] Result<DecodedBatch> PackRows(const DecodedBatch& batch, const std::vector<FeatureSpec>& specs,
                                            const RowPlan& plan, const PayloadSource& source,
                                            std::span<const uint64_t> ordinals);

}  // namespace ofindex
