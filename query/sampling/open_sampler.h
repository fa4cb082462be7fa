#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/columns/column_store.h"
#include "query/sampling/mix_quality.h"
#include "query/sampling/sampler.h"
#include "query/sql/sql_guard.h"

namespace ofindex {

/// What is to be sampled of a dataset, and how.
struct SampleRequest {
  std::optional<View> view = std::nullopt;            ///< the records to sample; none: all
  std::optional<std::string> where = std::nullopt;    ///< an SQL expression; none: all of those
  std::optional<std::string> weights = std::nullopt;  ///< a numeric column: records are drawn by it, with replacement
  std::optional<std::string> balance = std::nullopt;  ///< a column whose values are drawn evenly
  double temperature = std::numeric_limits<double>::infinity();  ///< of `balance`: 1 draws values as the data have them
  std::optional<BlockShape> block = std::nullopt;                ///< none: a global shuffle
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t position = 0;
  Slice slice = {};
  Tail tail = Tail::kExact;
  std::optional<SamplerState> state = std::nullopt;  ///< instead of seed, epoch and position
  bool force = false;                                ///< use the state, whatever dataset it was taken of
};

/// A sampler of the dataset of `store`, whose generations are `generations`. With a state, one of the records that the
/// dataset had when its epoch began: what was appended since comes with the next epoch that is begun without it.
///
/// Errors: kUsage  the request makes no sense, or names a column that is not there or does not serve
///         kStale  the state is of another dataset, selection or order; the text says what is different
///         those of Where()
[[nodiscard]] Result<Sampler> OpenSampler(const std::shared_ptr<ColumnStore>& store,
                                          const std::vector<GenerationRow>& generations, const SampleRequest& request,
                                          const SqlLimits& limits = {});

/// The class of each record of `view` by the values of the column called `name`. Errors: kUsage, kIndex, kIo, kLimit.
[[nodiscard]] Result<ClassNumbers> ClassesOf(ColumnStore& store, const View& view, const std::string& name,
                                             const std::atomic<bool>* cancel = nullptr);

}  // namespace ofindex
