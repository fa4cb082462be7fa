#include "tools/serve/counting/passing_cache.h"

#include <chrono>
#include <vector>

#include "query/crossfilter/passing_records.h"
#include "query/sampling/sets/set_of.h"
#include "query/sql/where.h"

namespace ofindex {
namespace {

constexpr std::chrono::milliseconds kUntilNextLook{10};

uint64_t MemoryOf(const Selection& selection) {
  uint64_t bytes = selection.selected().size() * (sizeof(BlockSelection) + sizeof(BlockMetadata));
  for (const BlockSelection& block : selection.selected()) bytes += block.words.size() * sizeof(uint64_t);
  return bytes;
}

}  // namespace

// Marks an expression as being evaluated; wakes the waiters when it ends, even by an exception.
class PassingCache::Evaluation {
 public:
  Evaluation(PassingCache& cache, const std::string& expression) : cache_(cache), expression_(expression) {}
  ~Evaluation() {
    {
      const std::lock_guard lock(cache_.mutex_);
      cache_.evaluating_.erase(expression_);
    }
    cache_.changed_.notify_all();
  }
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

 private:
  PassingCache& cache_;
  const std::string& expression_;
};

Result<std::shared_ptr<const Selection>> PassingCache::Where(const std::string& expression, const Progress& progress) {
  if (expression.empty()) return nullptr;
  {
    std::unique_lock lock(mutex_);
    // It looks again and again, because whoever cancels does not know of this cache.
    while (evaluating_.contains(expression) && !progress.cancel) changed_.wait_for(lock, kUntilNextLook);
    if (progress.cancel) return Interrupted();
    // The one that was waited for may have been cancelled.
    if (auto kept = selected_.Find(expression)) return kept;
    evaluating_.insert(expression);
  }
  const Evaluation evaluation(*this, expression);
  return Evaluate(expression, progress);
}

Result<std::shared_ptr<const Selection>> PassingCache::Evaluate(const std::string& expression,
                                                                const Progress& progress) {
  SqlLimits limits{.memory_bytes = sql_bytes_};
  limits.cancel = &progress.cancel;
  OFINDEX_ASSIGN(Selection selected, ::ofindex::Where(store_, expression, {}, limits, catalog_));
  const uint64_t bytes = MemoryOf(selected);
  auto shared = std::make_shared<const Selection>(std::move(selected));
  selected_.Keep(expression, shared, bytes);
  return shared;
}

std::optional<View> PassingCache::Known(const RecordFilter& filter) {
  if (filter.accepts_all()) return all_;
  if (const auto kept = passing_.Find(filter.key)) return *kept;
  return std::nullopt;
}

Result<View> PassingCache::Passing(const RecordFilter& filter, const Progress& progress) {
  if (auto known = Known(filter)) return *known;
  OFINDEX_ASSIGN(const std::shared_ptr<const Selection> among, Where(filter.where, progress));
  std::vector<std::shared_ptr<const Dimension>> dimensions;
  for (const ColumnFilter& column : filter.columns) {
    for (auto& chart : charts_->Made(column.column)) dimensions.push_back(std::move(chart));
  }
  OFINDEX_ASSIGN(const Selection selection, PassingRecords(*store_, filter.columns, dimensions, among.get(), progress));
  OrdinalSet set = SetOf(selection);
  const uint64_t bytes = set.memory();
  auto passing = std::make_shared<const View>(View::Of(std::move(set)));
  passing_.Keep(filter.key, passing, bytes);
  return *passing;
}

}  // namespace ofindex
