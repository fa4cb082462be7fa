#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/selection.h"
#include "query/sampling/sets/set_of.h"
#include "query/sampling/sets/view.h"
#include "tools/serve/counting/charts.h"
#include "tools/serve/counting/record_filter.h"

namespace ofindex {

/// Values by a text, the latest first; older ones are dropped once all take more than some bytes. Thread-safe.
template <typename T>
class LatestValues {
 public:
  explicit LatestValues(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Returns the value of `key`; null if it is not kept.
  [[nodiscard]] std::shared_ptr<const T> Find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    for (auto each = kept_.begin(); each != kept_.end(); ++each) {
      if (each->key != key) continue;
      kept_.splice(kept_.begin(), kept_, each);
      return kept_.front().value;
    }
    return nullptr;
  }

  /// Keeps a value of `bytes` bytes.
  void Keep(std::string key, std::shared_ptr<const T> value, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    kept_.push_front({std::move(key), std::move(value), bytes});
    bytes_ += bytes;
    // The latest value is kept in any case.
    while (bytes_ > max_bytes_ && kept_.size() > 1) {
      bytes_ -= kept_.back().bytes;
      kept_.pop_back();
    }
  }

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<const T> value;
    uint64_t bytes;
  };

  const uint64_t max_bytes_;
  std::mutex mutex_;
  uint64_t bytes_ = 0;
  std::list<Kept> kept_;
};

/// The records of the latest filters, so that paging through them is quick. Thread-safe.
class PassingCache {
 public:
  /// `charts` must outlive this object. `catalog` is for subqueries of expressions.
  PassingCache(std::shared_ptr<ColumnStore> store, std::shared_ptr<SharedCatalog> catalog, Charts& charts,
               uint64_t max_bytes, uint64_t sql_bytes)
      : store_(std::move(store)),
        catalog_(std::move(catalog)),
        charts_(&charts),
        all_(PresentRecords(*store_)),
        sql_bytes_(sql_bytes),
        selected_(max_bytes / 2),
        passing_(max_bytes / 2) {}

  /// Returns the records for which the SQL expression holds; null if it is empty. If it is being evaluated already,
  /// waits for that. Errors: those of Where().
  [[nodiscard]] Result<std::shared_ptr<const Selection>> Where(const std::string& expression, const Progress& progress);

  /// Returns the records that pass `filter` if they are known at once.
  [[nodiscard]] std::optional<View> Known(const RecordFilter& filter);

  /// Returns the records that pass `filter`. Errors: those of Where() and PassingRecords().
  [[nodiscard]] Result<View> Passing(const RecordFilter& filter, const Progress& progress);

 private:
  class Evaluation;

  [[nodiscard]] Result<std::shared_ptr<const Selection>> Evaluate(const std::string& expression,
                                                                  const Progress& progress);

  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<SharedCatalog> catalog_;
  Charts* charts_;
  View all_;
  uint64_t sql_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> evaluating_;  // expressions; guarded by mutex_
  LatestValues<Selection> selected_;
  LatestValues<View> passing_;
};

}  // namespace ofindex
