#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ofindex/build.h>
#include <ofindex/dataset.h>
#include <ofindex/features.h>
#include <ofindex/format.h>
#include <ofindex/info.h>
#include <ofindex/query.h>
#include <ofindex/result.h>

#include "base/allocation.h"
#include "base/result.h"
#include "index/build/builder.h"
#include "index/catalog/catalog.h"
#include "index/columns/column.h"
#include "proto/feature_data.h"
#include "query/sql/sql_session.h"

namespace ofindex::v1 {

// Converts values of the engine to values of the public headers, and back. Enumerations that exist in both have the
// same numbers, as convert.cc asserts, except for error codes.

[[nodiscard]] Error Public(ofindex::Error error);

/// Returns `result`, the outcome of a function of the engine, with its error converted to a public one.
template <typename T>
[[nodiscard]] Result<T> Public(ofindex::Result<T> result) {
  if (!result) return tl::unexpected(Public(std::move(result).error()));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(*result);
  }
}

/// Runs `work` and converts its result. `work` returns a Result of the engine, so it can use OFINDEX_TRY and
/// OFINDEX_ASSIGN. Every public function that returns a Result runs its body in this function, so that running out of
/// memory is an error, too.
template <typename Work>
[[nodiscard]] auto Attempt(const Work& work) {
  return Public(WithMemory("a call of the library", work));
}

/// Returns the limits on inflated sizes. Errors: kUsage if one is out of range.
[[nodiscard]] ofindex::Result<InflateOptions> InflateOf(uint64_t max_ratio, uint64_t max_inflated_bytes);

[[nodiscard]] tl::unexpected<Error> Misuse(std::string message);

[[nodiscard]] std::vector<Shard> Public(const std::vector<ShardRow>& shards);
[[nodiscard]] std::vector<GoneShard> PublicGone(const std::vector<ShardRow>& gone);
[[nodiscard]] std::vector<FeatureInfo> Public(const std::vector<FeatureRow>& features);
[[nodiscard]] std::vector<BadRecord> Public(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards);
[[nodiscard]] std::vector<Damage> Public(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards);
[[nodiscard]] std::vector<FileNote> Public(const std::vector<SkippedFile>& files);

/// The rows of an index, as the engine reads them.
struct CatalogRows {
  const std::string& index;
  const DatasetFacts& facts;
  const std::vector<ShardRow>& shards;
  const std::vector<ShardRow>& gone;
  const std::vector<FeatureRow>& features;
  const std::vector<BadRow>& bad;
  const std::vector<DamageRow>& damage;
  const std::vector<SkippedFile>& skipped;
};
[[nodiscard]] DatasetInfo Public(const CatalogRows& rows);

[[nodiscard]] FeatureValues Public(const FeatureData& values);
[[nodiscard]] FeatureData Engine(const FeatureValues& values);

[[nodiscard]] SqlValue Public(const ofindex::SqlValue& value);
[[nodiscard]] std::vector<ofindex::SqlParameter> Engine(const std::vector<SqlParameter>& parameters);
[[nodiscard]] SqlLimits Engine(const QueryLimits& limits);

[[nodiscard]] constexpr ofindex::Framing Engine(Framing framing) { return static_cast<ofindex::Framing>(framing); }
[[nodiscard]] constexpr ofindex::Compression Engine(Compression compression) {
  return static_cast<ofindex::Compression>(compression);
}
[[nodiscard]] constexpr ofindex::PayloadKind Engine(PayloadKind kind) {
  return static_cast<ofindex::PayloadKind>(kind);
}

}  // namespace ofindex::v1
