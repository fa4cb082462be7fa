#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/columns/column_store.h"
#include "query/sampling/columns/column_classes.h"
#include "query/sampling/mix_quality.h"
#include "query/sampling/sampler.h"
#include "query/sampling/shard_history.h"
#include "query/sql/sql_session.h"

namespace ofindex {

/// A request to sample a dataset.
struct SampleRequest {
  std::optional<View> view = std::nullopt;            ///< the records to sample; none: all
  std::optional<std::string> where = std::nullopt;    ///< SQL that selects some of them; none: no selection
  std::vector<SqlParameter> parameters = {};          ///< of `where`
  std::shared_ptr<SharedCatalog> catalog = nullptr;   ///< whose tables `where` can read; null: none
  std::optional<std::string> weights = std::nullopt;  ///< numeric column of weights, to draw with replacement
  /// Or the weight of each record of `view`, or of all ordinals, ascending. Read by OpenSampler() only.
  std::optional<std::span<const double>> given_weights = std::nullopt;
  std::optional<std::string> balance = std::nullopt;             ///< a column whose values are drawn evenly
  double temperature = std::numeric_limits<double>::infinity();  ///< of `balance`: 1 draws values as they occur
  std::optional<BlockShape> block = std::nullopt;                ///< none: a global shuffle
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t position = 0;
  Slice slice = {};
  Tail tail = Tail::kExact;
  std::optional<SamplerState> state = std::nullopt;  ///< instead of seed, epoch and position
  bool force = false;                                ///< use the state even if it was taken from another dataset
};

/// Opens a sampler of the dataset of `store`, which has generations `generations`. With a state, it samples the records
/// that the dataset had when the state's epoch began, and needs the `history` of the dataset if it was updated since:
/// records that are new come with the next epoch (query/sampling/resume.h).
///
/// Errors: kUsage if the request is invalid, or names a column that does not exist or cannot be used; kStale if the
/// state is of another dataset, selection or order, or of records that are gone (the text gives the difference); those
/// of Where().
[[nodiscard]] Result<Sampler> OpenSampler(const std::shared_ptr<ColumnStore>& store,
                                          const std::vector<GenerationRow>& generations, const SampleRequest& request,
                                          const SqlLimits& limits = {}, const ShardHistory& history = {});

/// Returns the class of each record of `view`, by the column called `name`. Errors: kUsage, kIndex, kIo, kLimit.
[[nodiscard]] Result<ClassNumbers> ClassesOf(ColumnStore& store, const View& view, const std::string& name,
                                             const std::atomic<bool>* cancel = nullptr, const ClassLimits& limits = {});

}  // namespace ofindex
