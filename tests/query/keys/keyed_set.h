#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "index/build/key_set.h"
#include "query/dataset.h"
#include "query/keys/key_lookup.h"
#include "tests/index/built_set.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {

/// Returns an Example with the values `texts` of feature "name" and `numbers` of feature "number"; a feature without
/// values is left out.
inline std::string KeyedExample(const std::vector<std::string>& texts, const std::vector<int64_t>& numbers) {
  std::string list;
  for (const std::string& text : texts) list += Field(1, text);
  std::string packed;
  for (const int64_t number : numbers) packed += Varint(static_cast<uint64_t>(number));
  std::string features = Entry("other", Int64s({7}));
  if (!texts.empty()) features += Entry("name", Field(1, list));
  if (!numbers.empty()) features += Entry("number", Field(3, Field(1, packed)));
  return Field(1, features);
}

/// An open dataset and one of its keys.
struct OpenedKey {
  explicit OpenedKey(const std::string& index, const std::string& name, const ReaderOptions& reading = {})
      : dataset(std::make_shared<const Dataset>(std::move(*Dataset::Open(index, reading)))) {
    const std::shared_ptr<const RecordReader> reader(dataset, &dataset->reader());
    auto source = ReaderSource::Of(reader);
    REQUIRE(source);
    lookup = std::make_unique<Result<KeyLookup>>(KeyLookup::Open(dataset->snapshot()->index(), *source, name));
  }

  /// The key; ends the test if it did not open.
  [[nodiscard]] const KeyLookup& key() const {
    REQUIRE_MESSAGE(lookup->has_value(), lookup->error().message);
    return **lookup;
  }
  [[nodiscard]] Error error() const {
    REQUIRE_FALSE(lookup->has_value());
    return lookup->error();
  }

  std::shared_ptr<const Dataset> dataset;
  std::unique_ptr<Result<KeyLookup>> lookup;
};

/// Makes a key; ends the test if that fails.
inline KeyReport MadeKey(const std::string& index, KeyOptions options) {
  Progress progress;
  options.threads = 2;
  options.durability = AtomicFile::Durability::kCached;
  auto made = MakeKey(index, options, progress);
  REQUIRE_MESSAGE(made, made.error().message);
  return std::move(*made);
}

}  // namespace ofindex
