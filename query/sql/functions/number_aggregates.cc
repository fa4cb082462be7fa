#include "query/sql/functions/number_aggregates.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "query/stats/moments.h"
#include "query/stats/quartiles.h"

namespace ofindex {
namespace {

// The numbers of a group. SQLite fills it with zeros at first.
struct RankedNumbers {
  double* numbers;
  uint64_t count;
  uint64_t capacity;
  double percent;

  // Returns false if there is no memory.
  bool Add(double number) {
    if (count == capacity) {
      const uint64_t wanted = std::max<uint64_t>(64, capacity + capacity / 2);
      void* const grown = sqlite3_realloc64(numbers, wanted * sizeof(double));
      if (grown == nullptr) return false;
      numbers = static_cast<double*>(grown);
      capacity = wanted;
    }
    numbers[count++] = number;
    return true;
  }
};
static_assert(std::is_trivially_copyable_v<RankedNumbers> && std::is_trivially_copyable_v<Moments>);

// Moments is copied in and out, since SQLite's memory is not aligned for a long double.
struct MomentsBytes {
  bool used;
  unsigned char bytes[sizeof(Moments)];

  [[nodiscard]] Moments Get() const {
    Moments moments;
    if (used) std::memcpy(&moments, bytes, sizeof moments);
    return moments;
  }
  void Set(const Moments& moments) {
    used = true;
    std::memcpy(bytes, &moments, sizeof moments);
  }
};

template <typename State>
State* StateOf(sqlite3_context* context) {
  auto* const state = static_cast<State*>(sqlite3_aggregate_context(context, sizeof(State)));
  if (state == nullptr) sqlite3_result_error_nomem(context);
  return state;
}

// Returns the state of a group at its end; null if the group has no rows.
template <typename State>
State* LastStateOf(sqlite3_context* context) {
  return static_cast<State*>(sqlite3_aggregate_context(context, 0));
}

bool IsNumber(sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

// Returns whether the first argument is a number. Reports an error if it is a text or a blob.
bool HasNumber(sqlite3_context* context, sqlite3_value* value) {
  if (IsNumber(value)) return true;
  if (sqlite3_value_type(value) != SQLITE_NULL) {
    sqlite3_result_error(context,
                         "median(), percentile(), stddev() and variance(): expected numbers, got text or bytes", -1);
  }
  return false;
}

// Returns the second argument of percentile(), and 50 for median(). Reports an error if it is not a percentage.
std::optional<double> PercentOf(sqlite3_context* context, int count, sqlite3_value** values) {
  if (count < 2) return 50;
  const double percent = IsNumber(values[1]) ? sqlite3_value_double(values[1]) : -1;
  if (percent >= 0 && percent <= 100) return percent;
  sqlite3_result_error(context, "percentile(x, p): expected a number from 0 to 100 as p", -1);
  return std::nullopt;
}

// Returns the number at `percent`; nothing if infinities leave it undefined.
std::optional<double> PercentileOf(RankedNumbers& all) {
  const long double rank = static_cast<long double>(all.count - 1) * static_cast<long double>(all.percent) / 100;
  const auto low = static_cast<uint64_t>(rank);
  double* const end = all.numbers + all.count;
  double* const at = all.numbers + low;
  std::nth_element(all.numbers, at, end);
  const double next = low + 1 < all.count ? *std::min_element(at + 1, end) : *at;
  const double found = Interpolated(*at, next, static_cast<double>(rank - static_cast<long double>(low)));
  return std::isnan(found) ? std::nullopt : std::optional(found);
}

void PutReal(sqlite3_context* context, std::optional<double> real) {
  if (real) return sqlite3_result_double(context, *real);
  sqlite3_result_null(context);
}

}  // namespace

void StepRanked(sqlite3_context* context, int count, sqlite3_value** values) {
  const std::optional<double> percent = PercentOf(context, count, values);
  if (!percent || !HasNumber(context, values[0])) return;
  auto* const all = StateOf<RankedNumbers>(context);
  if (all == nullptr) return;
  if (all->count == 0) all->percent = *percent;
  if (all->percent != *percent) {
    return sqlite3_result_error(context, "percentile(x, p): expected the same p in all rows of a group", -1);
  }
  if (!all->Add(sqlite3_value_double(values[0]))) sqlite3_result_error_nomem(context);
}

void FinishRanked(sqlite3_context* context) {
  auto* const all = LastStateOf<RankedNumbers>(context);
  if (all == nullptr || all->numbers == nullptr) return;
  PutReal(context, PercentileOf(*all));
  sqlite3_free(all->numbers);
  all->numbers = nullptr;
}

void StepMoments(sqlite3_context* context, int, sqlite3_value** values) {
  if (!HasNumber(context, values[0])) return;
  auto* const state = StateOf<MomentsBytes>(context);
  if (state == nullptr) return;
  Moments moments = state->Get();
  if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) {
    moments.Add(int64_t{sqlite3_value_int64(values[0])});
  } else {
    moments.Add(sqlite3_value_double(values[0]));
  }
  state->Set(moments);
}

void FinishVariance(sqlite3_context* context) {
  if (const auto* const state = LastStateOf<MomentsBytes>(context)) PutReal(context, state->Get().variance());
}

void FinishDeviation(sqlite3_context* context) {
  if (const auto* const state = LastStateOf<MomentsBytes>(context)) PutReal(context, state->Get().deviation());
}

}  // namespace ofindex
