#include "query/tables/groups/grouped_rows.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "proto/extract/extracted_feature.h"
#include "query/columns/value_order.h"
#include "query/filter/predicate.h"
#include "query/tables/values/sql_values.h"

namespace ofindex {
namespace {

// Values grouped between two checks whether the statement may go on: some 20 milliseconds.
constexpr uint64_t kMaxGroupedValues = 128 * uint64_t{kBlockRecords};

// Bytes that the groups may gain between two checks whether there is room for them, if that takes more than a block for
// each thread.
constexpr uint64_t kMaxGain = uint64_t{16} << 20;

// Records grouped for the first rows of a DISTINCT, which may be all that the statement needs.
constexpr uint64_t kFirstWindow = kBlockRecords;

// Returns how many bytes the groups may gain by a value of a column.
uint64_t GainOf(const ColumnStore& store, uint32_t number) {
  constexpr uint64_t kNumber = 2 * sizeof(uint64_t);
  if (number >= store.columns().size()) return kNumber;  // computed
  const Column& column = store.columns()[number];
  if (column.origin != Column::Origin::kFeature) return kNumber;
  return kNumber + std::min(store.features()[column.feature].largest_bytes, kMaxKeptBytes);
}

// Returns the number of records to group between two checks.
uint64_t MaxWindow(const ColumnStore& store, const GroupRequest& request) {
  uint64_t columns = 1;
  uint64_t gain = 0;
  const auto add = [&](uint32_t column, bool keeps) {
    ++columns;
    if (keeps) gain += GainOf(store, column);
  };
  for (const GroupRequest::Key& key : request.keys) add(key.column, true);
  for (const Argument& argument : request.arguments) add(argument.column, argument.distinct || argument.bounds);
  const uint64_t block = store.records() / std::max<uint64_t>(store.blocks().size(), 1) + 1;
  const uint64_t records = std::min(kMaxGroupedValues / columns, kMaxGain / std::max<uint64_t>(gain, 1));
  return std::max(records, store.threads() * block);
}

}  // namespace

Result<void> GroupedRows::Begin(const GroupedScan& scan, std::span<const Constraint> constraints) {
  Release();
  scan_ = scan;
  std::vector<Constraint> all(constraints.begin(), constraints.end());
  for (const uint32_t column : scan.not_null) all.push_back({.column = column, .op = Op::kNotNull});
  OFINDEX_ASSIGN(Predicate predicate, Predicate::Of(*store_, all));
  OFINDEX_ASSIGN(Grouping grouping, Grouping::Of(*store_, scan.request, std::move(predicate), SumRuleOfSqlite()));
  grouping_.emplace(std::move(grouping));
  PlanRows();
  untested_ = scan_.not_null;
  max_window_ = MaxWindow(*store_, scan_.request);
  window_ = std::min<uint64_t>(kFirstWindow, max_window_);
  place_ = 0;
  row_ = 0;
  const bool streams = scan_.distinct && !scan_.sorted;
  if (!streams) OFINDEX_TRY(GroupAll());
  OFINDEX_ASSIGN(const bool found, FindGroup());
  done_ = !found;
  return {};
}

Result<void> GroupedRows::Next() {
  untested_ = scan_.not_null;
  // The keys' own row has counted one record.
  const bool counted = rows_.size() == 2 && scan_.request.arguments.empty() && grouping_->rows(Group()) == 1;
  if (++row_ < rows_.size() && !counted) {
    Arm();
    return {};
  }
  Disarm();
  row_ = 0;
  ++place_;
  OFINDEX_ASSIGN(const bool found, FindGroup());
  done_ = !found;
  if (done_) Release();
  return {};
}

// Frees the groups: the statement may go on to other scans for long.
void GroupedRows::Release() {
  Disarm();
  grouping_.reset();
  order_ = {};
  static_cast<void>(held_.Set(0));
}

Result<void> GroupedRows::Advance(uint64_t records) {
  OFINDEX_TRY(limits_->Check());
  OFINDEX_TRY(grouping_->Advance(records));
  if (held_.Set(grouping_->memory())) return {};
  return Fail(ErrorCode::kLimit, "SQL: the groups of the statement need more memory than it may use",
              "group by columns with fewer values, or raise the memory limit");
}

Result<void> GroupedRows::GroupAll() {
  while (!grouping_->complete()) OFINDEX_TRY(Advance(max_window_));
  OFINDEX_ASSIGN(order_, grouping_->Sorted([this] { return limits_->Check(); }));
  return {};
}

// Returns whether there is a group at `place_`; groups more blocks if there may be.
Result<bool> GroupedRows::FindGroup() {
  while (place_ >= grouping_->size() && !grouping_->complete()) {
    OFINDEX_TRY(Advance(window_));
    window_ = std::min(2 * window_, max_window_);
  }
  return place_ < grouping_->size();
}

void GroupedRows::PlanRows() {
  const auto any = [this](bool Argument::*need) {
    const std::vector<Argument>& all = scan_.request.arguments;
    return std::any_of(all.begin(), all.end(), [need](const Argument& argument) { return argument.*need; });
  };
  rows_ = {Row{}};
  if (scan_.counts_rows || any(&Argument::counts) || any(&Argument::sums)) rows_.push_back({.stage = Stage::kValues});
  if (any(&Argument::distinct)) {
    rows_.push_back({.stage = Stage::kDistinct});
  } else if (any(&Argument::bounds)) {
    rows_.push_back({.stage = Stage::kBounds});
  }
  if (any(&Argument::bounds)) rows_.push_back({.stage = Stage::kBounds, .greatest = true});
}

void GroupedRows::Arm() { *armed_ = {.stage = rows_[row_].stage, .grouping = &*grouping_, .group = Group()}; }

void GroupedRows::Disarm() {
  if (grouping_ && armed_->grouping == &*grouping_) *armed_ = {};
}

void GroupedRows::Put(sqlite3_context* context, uint32_t column) {
  const auto test = std::find(untested_.begin(), untested_.end(), column);
  if (test != untested_.end()) {
    untested_.erase(test);
    return sqlite3_result_int64(context, 1);
  }
  const std::vector<GroupRequest::Key>& keys = scan_.request.keys;
  const std::vector<Argument>& arguments = scan_.request.arguments;
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const auto& each) { return each.column == column; });
  const auto argument =
      std::find_if(arguments.begin(), arguments.end(), [&](const auto& each) { return each.column == column; });
  const Row& row = rows_[row_];
  if (key != keys.end()) {
    PutResult(context, grouping_->Key(Group(), static_cast<size_t>(key - keys.begin())));
  }
  if (argument == arguments.end()) return;
  const auto number = static_cast<unsigned>(argument - arguments.begin());
  if (key == keys.end()) PutArgument(context, number);
  const bool values = row.stage == Stage::kValues && (argument->counts || argument->sums);
  const bool distinct = row.stage == Stage::kDistinct && argument->distinct;
  if (values || distinct) sqlite3_result_subtype(context, ArmedGroup::kFirst + number);
}

// A column with DISTINCT needs a value that is not NULL, whatever it is, so that SQLite passes it on.
void GroupedRows::PutArgument(sqlite3_context* context, size_t i) const {
  const Row& row = rows_[row_];
  if (row.stage == Stage::kNone || row.stage == Stage::kValues) return;
  const ArgumentStates& states = grouping_->argument(i);
  if (states.argument().bounds) {
    PutResult(context, ViewOf(row.greatest ? states.max(Group()) : states.min(Group())));
  } else if (states.argument().distinct && row.stage == Stage::kDistinct) {
    sqlite3_result_int64(context, 0);
  }
}

}  // namespace ofindex
