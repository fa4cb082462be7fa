#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "query/decoding/batch_decoder.h"

namespace ofindex::python {

/// Batches of decoded features, and where their payloads come from. Shared, since a loader keeps them.
struct Decoder {
  std::shared_ptr<const BatchDecoder> decoder;
};
struct Payloads {
  std::shared_ptr<const PayloadSource> source;
  double payload_bytes;                                  ///< of an average record
  std::shared_ptr<const RecordReader> reader = nullptr;  ///< of one dataset
};

/// The arrays of `batch`, a tuple a feature: values as an array of one dimension; of bytes, where each begins; of
/// ragged features, where each row begins. None for what there is not.
[[nodiscard]] nanobind::list ArraysOf(DecodedBatch batch);

void BindDecoder(nanobind::module_& m);

}  // namespace ofindex::python
