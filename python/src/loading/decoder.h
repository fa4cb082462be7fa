#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "query/decoding/batch_decoder.h"

namespace ofindex::python {

/// A decoder of batches of features, and the source of their payloads. Shared, since a loader keeps it.
struct Decoder {
  std::shared_ptr<const BatchDecoder> decoder;
  bool makes_images = false;
  mutable std::atomic<double> slowness = 1;  ///< measured time of decoding / the time estimated before
};
struct Payloads {
  std::shared_ptr<const PayloadSource> source;
  double payload_bytes;                                  ///< of an average record
  std::shared_ptr<const RecordReader> reader = nullptr;  ///< if there is only one dataset
};

/// Returns the arrays of `batch`, a tuple per feature: the values as a one-dimensional array; for bytes, the offset of
/// each value; for ragged features, the offset of each row. Parts that do not apply are None.
[[nodiscard]] nanobind::list ArraysOf(DecodedBatch batch);

void BindDecoder(nanobind::module_& m);

}  // namespace ofindex::python
