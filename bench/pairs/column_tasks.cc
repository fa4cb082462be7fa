#include "bench/pairs/column_tasks.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "query/columns/find_column.h"
#include "query/columns/snapshot.h"
#include "query/sql/where.h"
#include "query/stats/group_stats.h"

namespace ofindex {
namespace {

struct Answer {
  uint64_t rows = 0;
  uint64_t sum = 0;
};

// Waits for the next line of input. Returns false at the end of the input.
bool WaitForQuestion() { return std::getchar() != EOF; }

void Print(std::chrono::steady_clock::duration time, const Answer& answer) {
  std::printf("%lld\n%llu\n%llu\n",
              static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()),
              static_cast<unsigned long long>(answer.rows), static_cast<unsigned long long>(answer.sum));
  std::fflush(stdout);
}

// Times `ask`; `sum_up` converts its result to an Answer, untimed.
template <typename Ask, typename SumUp>
Result<void> AnswerRepeatedly(const Ask& ask, const SumUp& sum_up) {
  while (WaitForQuestion()) {
    const auto begin = std::chrono::steady_clock::now();
    OFINDEX_ASSIGN(const auto found, ask());
    const auto time = std::chrono::steady_clock::now() - begin;
    Print(time, sum_up(found));
  }
  return {};
}

using Ordinals = std::vector<uint64_t>;

Answer SumOf(const Ordinals& ordinals) {
  Answer answer{.rows = ordinals.size()};
  for (const uint64_t ordinal : ordinals) answer.sum += ordinal;
  return answer;
}

Result<Ordinals> Find(const std::shared_ptr<ColumnStore>& store, const std::string& expression) {
  OFINDEX_ASSIGN(const Selection selection, Where(store, expression));
  return selection.Ordinals();
}

Answer SumOf(const GroupedStats& stats) {
  Answer answer{.rows = stats.groups.size()};
  for (const GroupRow& group : stats.groups) answer.sum += group.rows;
  return answer;
}

Result<std::shared_ptr<ColumnStore>> OpenColumns(const std::string& index) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(index));
  return snapshot->Columns();
}

}  // namespace

Result<void> AskWhere(const std::string& index, const std::string& expression, bool reopen) {
  OFINDEX_ASSIGN(std::shared_ptr<ColumnStore> store, OpenColumns(index));
  OFINDEX_TRY(Find(store, expression));
  const auto ask = [&]() -> Result<Ordinals> {
    if (!reopen) return Find(store, expression);
    OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> fresh, OpenColumns(index));
    return Find(fresh, expression);
  };
  return AnswerRepeatedly(ask, [](const Ordinals& ordinals) { return SumOf(ordinals); });
}

Result<void> AskGroups(const std::string& index, const std::string& by, const std::string& column) {
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, OpenColumns(index));
  const auto ask = [&]() -> Result<GroupedStats> {
    OFINDEX_ASSIGN(const Column groups, FindColumn(*store, by));
    OFINDEX_ASSIGN(const Column values, FindColumn(*store, column));
    return GroupStats(*store, groups, {values}, {});
  };
  OFINDEX_TRY(ask());
  return AnswerRepeatedly(ask, [](const GroupedStats& stats) { return SumOf(stats); });
}

}  // namespace ofindex
