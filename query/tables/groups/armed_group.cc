#include "query/tables/groups/armed_group.h"

#include <sqlite3.h>

namespace ofindex {
namespace {

using Stage = ArmedGroup::Stage;

constexpr int kCompensatedVersion = 3043000;

const ArmedGroup& ArmedOf(sqlite3_context* context) {
  return *static_cast<const ArmedGroup*>(sqlite3_user_data(context));
}

// What SQLite keeps for one function and one group; zeros at first.
template <typename State>
struct Kept {
  State state;
  bool taken;  // from an armed group
};

// Returns null if SQLite has no memory, which it then reports.
template <typename State>
Kept<State>* KeptOf(sqlite3_context* context) {
  return static_cast<Kept<State>*>(sqlite3_aggregate_context(context, sizeof(Kept<State>)));
}

// Returns the state that the argument of `kept` has in the armed group; null if this row hands over nothing for it. A
// function without DISTINCT sees the row of the distinct values too, and has taken its state by then.
template <typename State>
const SumState* Taken(const ArmedGroup& armed, Kept<State>& kept, sqlite3_value* argument) {
  const unsigned subtype = sqlite3_value_subtype(argument);
  if (subtype < ArmedGroup::kFirst || kept.taken || armed.stage == Stage::kBounds) return nullptr;
  kept.taken = true;
  const ArgumentStates& states = armed.grouping->argument(subtype - ArmedGroup::kFirst);
  return armed.stage == Stage::kValues ? &states.sum(armed.group) : &states.distinct(armed.group);
}

void CountStep(sqlite3_context* context, int count, sqlite3_value** values) {
  Kept<int64_t>* const kept = KeptOf<int64_t>(context);
  if (kept == nullptr) return;
  const ArmedGroup& armed = ArmedOf(context);
  if (armed.stage == Stage::kNone) {
    if (count == 0 || sqlite3_value_type(values[0]) != SQLITE_NULL) ++kept->state;
  } else if (count == 0) {
    if (armed.stage == Stage::kValues) kept->state = armed.grouping->rows(armed.group);
  } else if (const SumState* const taken = Taken(armed, *kept, values[0])) {
    kept->state = taken->count;
  }
}

void CountInverse(sqlite3_context* context, int count, sqlite3_value** values) {
  Kept<int64_t>* const kept = KeptOf<int64_t>(context);
  if (kept != nullptr && (count == 0 || sqlite3_value_type(values[0]) != SQLITE_NULL)) --kept->state;
}

void CountResult(sqlite3_context* context) {
  const Kept<int64_t>* const kept = static_cast<Kept<int64_t>*>(sqlite3_aggregate_context(context, 0));
  sqlite3_result_int64(context, kept == nullptr ? 0 : kept->state);
}

void SumStep(sqlite3_context* context, int, sqlite3_value** values) {
  Kept<SumState>* const kept = KeptOf<SumState>(context);
  if (kept == nullptr) return;
  const ArmedGroup& armed = ArmedOf(context);
  if (armed.stage != Stage::kNone) {
    if (const SumState* const taken = Taken(armed, *kept, values[0])) kept->state = *taken;
    return;
  }
  const SumRule rule = SumRuleOfSqlite();
  const int type = sqlite3_value_numeric_type(values[0]);
  if (type == SQLITE_INTEGER) {
    kept->state.Add(rule, int64_t{sqlite3_value_int64(values[0])});
  } else if (type != SQLITE_NULL) {
    kept->state.Add(rule, sqlite3_value_double(values[0]));
  }
}

// Removes the first value of a window.
void SumInverse(sqlite3_context* context, int, sqlite3_value** values) {
  Kept<SumState>* const kept = KeptOf<SumState>(context);
  if (kept == nullptr) return;
  const SumRule rule = SumRuleOfSqlite();
  SumState& state = kept->state;
  const int type = sqlite3_value_numeric_type(values[0]);
  if (type == SQLITE_NULL) return;
  if (type == SQLITE_INTEGER && !state.approximate) {
    const int64_t value = sqlite3_value_int64(values[0]);
    state.integer = static_cast<int64_t>(static_cast<uint64_t>(state.integer) - static_cast<uint64_t>(value));
    if (rule == SumRule::kPlain) state.real -= static_cast<double>(value);
    --state.count;
  } else {
    state.Add(rule, -sqlite3_value_double(values[0]));
    state.count -= 2;
  }
}

const SumState* ResultOf(sqlite3_context* context) {
  const Kept<SumState>* const kept = static_cast<Kept<SumState>*>(sqlite3_aggregate_context(context, 0));
  return kept == nullptr || kept->state.count <= 0 ? nullptr : &kept->state;
}

void SumResult(sqlite3_context* context) {
  const SumState* const state = ResultOf(context);
  if (state == nullptr) return;
  if (state->overflow) return sqlite3_result_error(context, "integer overflow", -1);
  if (!state->approximate) return sqlite3_result_int64(context, state->integer);
  sqlite3_result_double(context, state->total(SumRuleOfSqlite()));
}

void TotalResult(sqlite3_context* context) {
  const Kept<SumState>* const kept = static_cast<Kept<SumState>*>(sqlite3_aggregate_context(context, 0));
  sqlite3_result_double(context, kept == nullptr ? 0 : kept->state.total(SumRuleOfSqlite()));
}

void AverageResult(sqlite3_context* context) {
  const SumState* const state = ResultOf(context);
  if (state == nullptr) return;
  sqlite3_result_double(context, state->total(SumRuleOfSqlite()) / static_cast<double>(state->count));
}

}  // namespace

SumRule SumRuleOfSqlite() {
  static const SumRule rule =
      sqlite3_libversion_number() < kCompensatedVersion ? SumRule::kPlain : SumRule::kCompensated;
  return rule;
}

bool RegisterAggregates(sqlite3* db, const ArmedGroup* armed) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const auto add = [&](const char* name, int arguments, auto step, auto result, auto inverse) {
    // SQLite 3.40 crashes on count(*) OVER () if the function without arguments reads subtypes.
    const int flags = arguments == 0 ? kFlags : kFlags | SQLITE_SUBTYPE;
    return sqlite3_create_window_function(db, name, arguments, flags, const_cast<ArmedGroup*>(armed), step, result,
                                          result, inverse, nullptr) == SQLITE_OK;
  };
  return add("count", 0, CountStep, CountResult, CountInverse) &&
         add("count", 1, CountStep, CountResult, CountInverse) && add("sum", 1, SumStep, SumResult, SumInverse) &&
         add("total", 1, SumStep, TotalResult, SumInverse) && add("avg", 1, SumStep, AverageResult, SumInverse);
}

}  // namespace ofindex
