#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "tools/serve/records/record_payload.h"
#include "tools/serve/records/shown_features.h"
#include "tools/shell/json.h"
#include "tools/shell/shown_paths.h"

namespace ofindex {

/// The part of a record that is shown.
struct ShownParts {
  std::optional<std::vector<std::string>> features = {};  ///< as the API names them; nullopt: all
  std::vector<Column> columns = {};                       ///< without lists
  uint64_t step = 0;                                      ///< of feature lists
};

/// Describes records of a dataset as the API does. A record that cannot be read says why, and the others are shown. All
/// parts must outlive this object. Not thread-safe.
class RecordDocuments {
 public:
  /// Reads records into `payload`.
  RecordDocuments(const Dataset& dataset, ColumnStore& store, const std::vector<uint32_t>& shard_numbers,
                  RecordPayload& payload, ShownParts parts)
      : dataset_(dataset), store_(store), shard_numbers_(shard_numbers), payload_(payload), parts_(std::move(parts)) {}

  /// Returns the document of record `ordinal`. Once the progress of the payload is cancelled, it may lack the features.
  [[nodiscard]] Json Of(uint64_t ordinal);

 private:
  [[nodiscard]] Json Columns(uint64_t ordinal);
  [[nodiscard]] Result<void> AddPlace(uint64_t ordinal, Json& document);
  [[nodiscard]] Result<void> AddFeatures(uint64_t ordinal, Json& document);

  const Dataset& dataset_;
  ColumnStore& store_;
  const std::vector<uint32_t>& shard_numbers_;  // by piece
  RecordPayload& payload_;
  ShownParts parts_;
  Allowance allowance_{uint64_t{8} << 20};
};

}  // namespace ofindex
