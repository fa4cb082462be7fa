#include "query/stats/group_stats.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "base/text.h"
#include "query/columns/blocks_in_order.h"
#include "query/columns/chunk_numbers.h"
#include "query/columns/value_order.h"
#include "query/stats/group_numbers.h"

namespace ofindex {
namespace {

// The groups of one block.
struct BlockTotals {
  std::shared_ptr<const Chunk> by;  // the chunk whose bytes the values view
  std::vector<Chunk::Value> values;
  std::vector<uint32_t> rows;
  std::vector<std::vector<GroupSum>> sums;  // by column, then by group
};

struct LessValue {
  using is_transparent = void;
  static Chunk::Value View(const Chunk::Value& value) { return value; }
  static Chunk::Value View(const ColumnValue& value) { return ViewOf(value); }

  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return CompareValues(View(a), View(b)) < 0;
  }
};

Result<void> CheckSize(const std::string& by, uint64_t groups, uint64_t columns, uint64_t bytes) {
  if (groups <= kMaxGroups && groups * columns <= kMaxGroupSums && bytes <= kMaxGroupBytes) return {};
  return Fail(ErrorCode::kLimit, StrCat("column '", Printable(by), "' makes too many groups for memory"),
              "group by a column with fewer values, or name fewer columns");
}

class GroupTotals {
 public:
  GroupTotals(ColumnStore& store, const Column& by, const std::vector<Column>& columns, const GroupOptions& options)
      : store_(store), by_(by), columns_(columns), options_(options) {}

  // Returns the groups of one block. Thread-safe.
  [[nodiscard]] Result<BlockTotals> Group(uint64_t block) const {
    const BlockMetadata& head = store_.blocks()[block];
    std::vector<uint64_t> among;
    if (options_.among) {
      among = options_.among(head.first_record, head.first_record + head.records);
      if (among.empty()) return BlockTotals();
    }
    OFINDEX_ASSIGN(std::shared_ptr<const Chunk> chunk, store_.Load(by_, block));
    GroupNumbers groups = NumberGroups(*chunk);
    OFINDEX_TRY(CheckSize(by_.name, groups.values.size(), columns_.size(), 0));
    BlockTotals made{std::move(chunk), std::move(groups.values), {}, {}};
    made.rows.resize(made.values.size());
    if (!options_.among) {
      for (const uint32_t number : groups.number) ++made.rows[number];
    }
    ForEachSet(among, [&](uint32_t r) { ++made.rows[groups.number[r]]; });
    for (const Column& column : columns_) {
      OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> numbers, store_.Load(column, block));
      std::vector<uint64_t> both = among;
      for (size_t w = 0; w < both.size(); ++w) both[w] &= numbers->present()[w];
      const std::span<const uint64_t> records = options_.among ? both : numbers->present();
      made.sums.push_back(SumByGroup(*numbers, groups.number, made.values.size(), records));
    }
    return made;
  }

  [[nodiscard]] Result<void> Merge(const BlockTotals& block) {
    for (size_t g = 0; g < block.values.size(); ++g) {
      if (block.rows[g] == 0) continue;
      OFINDEX_ASSIGN(GroupRow* const row, RowOf(block.values[g]));
      row->rows += block.rows[g];
      for (size_t c = 0; c < columns_.size(); ++c) row->sums[c].Merge(block.sums[c][g]);
    }
    return {};
  }

  [[nodiscard]] GroupedStats Finish(size_t limit) && {
    GroupedStats stats;
    stats.by = by_.name;
    for (const Column& column : columns_) stats.columns.push_back(column.name);
    stats.groups.reserve(rows_.size());
    for (auto& [value, row] : rows_) stats.groups.push_back(std::move(row));
    std::stable_sort(stats.groups.begin(), stats.groups.end(),
                     [](const GroupRow& a, const GroupRow& b) { return a.rows > b.rows; });
    stats.others.sums.resize(columns_.size());
    for (size_t g = 0; g < stats.groups.size(); ++g) {
      const GroupRow& row = stats.groups[g];
      stats.rows += row.rows;
      if (g < limit) continue;
      ++stats.other_groups;
      stats.others.rows += row.rows;
      for (size_t c = 0; c < columns_.size(); ++c) stats.others.sums[c].Merge(row.sums[c]);
    }
    stats.groups.resize(std::min(limit, stats.groups.size()));
    return stats;
  }

 private:
  [[nodiscard]] Result<GroupRow*> RowOf(const Chunk::Value& value) {
    const auto found = rows_.lower_bound(value);
    if (found != rows_.end() && !LessValue()(value, found->first)) return &found->second;
    bytes_ += value.bytes.size();
    OFINDEX_TRY(CheckSize(by_.name, rows_.size() + 1, columns_.size(), bytes_));
    ColumnValue owned{
        .type = value.type, .integer = value.integer, .real = value.real, .bytes = std::string(AsText(value.bytes))};
    GroupRow row{.value = owned, .rows = 0, .sums = std::vector<GroupSum>(columns_.size())};
    return &rows_.emplace_hint(found, std::move(owned), std::move(row))->second;
  }

  ColumnStore& store_;
  const Column& by_;
  const std::vector<Column>& columns_;
  const GroupOptions& options_;
  std::map<ColumnValue, GroupRow, LessValue> rows_;
  uint64_t bytes_ = 0;
};

}  // namespace

Result<GroupedStats> GroupStats(ColumnStore& store, const Column& by, const std::vector<Column>& columns,
                                const GroupOptions& options) {
  GroupTotals totals(store, by, columns, options);
  OFINDEX_TRY(MergeInOrder(
      store.threads(), store.blocks().size(), options.cancel, [&](uint64_t block) { return totals.Group(block); },
      [&](const BlockTotals& block) { return totals.Merge(block); }));
  return WithMemory("groups", [&]() -> Result<GroupedStats> { return std::move(totals).Finish(options.limit); });
}

}  // namespace ofindex
