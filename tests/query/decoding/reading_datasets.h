#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mmap/record_reader.h"
#include "query/dataset.h"
#include "tests/index/built_set.h"
#include "tests/query/decoding/decoding.h"

namespace ofindex {

/// Opens the reader of a built set. Ends the test if that fails.
inline std::shared_ptr<const RecordReader> ReaderOf(const BuiltSet& set, ReaderOptions options = {}) {
  auto dataset = Dataset::Open(set.index(), std::move(options));
  REQUIRE_MESSAGE(dataset.has_value(), dataset.error().message);
  const auto shared = std::make_shared<const Dataset>(std::move(*dataset));
  return {shared, &shared->reader()};
}

/// Examples of one number, `x`: first, first + 1, ...
inline std::vector<std::string> NumberedExamples(int64_t first, size_t count) {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < count; ++i) payloads.push_back(Example(Ints("x", {first + static_cast<int64_t>(i)})));
  return payloads;
}

}  // namespace ofindex
