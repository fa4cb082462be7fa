#include "query/sql/functions/added_functions.h"

#include <sqlite3.h>

#include <string>

#include "base/text.h"
#include "query/sql/functions/number_aggregates.h"
#include "query/sql/functions/regexp_function.h"
#include "query/sql/functions/text_aggregate.h"

namespace ofindex {
namespace {

constexpr int kNoVersion = 0;
constexpr int kStringAggVersion = 3044000;  // sqlite.org/changes.html, 3.44.0

/// One function: either `call`, or `step` and `finish`.
struct AddedFunction {
  const char* name;
  int arguments;
  int built_in_since;  ///< the version from which on SQLite itself has it
  void (*call)(sqlite3_context*, int, sqlite3_value**);
  void (*step)(sqlite3_context*, int, sqlite3_value**);
  void (*finish)(sqlite3_context*);
};

constexpr AddedFunction kAdded[] = {
    {"regexp", 2, kNoVersion, Regexp, nullptr, nullptr},
    {"median", 1, kNoVersion, nullptr, StepRanked, FinishRanked},
    {"percentile", 2, kNoVersion, nullptr, StepRanked, FinishRanked},
    {"stddev", 1, kNoVersion, nullptr, StepMoments, FinishDeviation},
    {"variance", 1, kNoVersion, nullptr, StepMoments, FinishVariance},
    {"string_agg", 2, kStringAggVersion, nullptr, StepStringAgg, FinishStringAgg},
};

bool AddOne(sqlite3* db, const AddedFunction& added, const WorkLimits& limits) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const auto destroy = [](void* data) { delete static_cast<WorkLimits*>(data); };
  return sqlite3_create_function_v2(db, added.name, added.arguments, flags, new WorkLimits(limits), added.call,
                                    added.step, added.finish, destroy) == SQLITE_OK;
}

bool HostHas(sqlite3* db, const AddedFunction& added) {
  const std::string sql = StrCat("SELECT ", added.name, added.arguments == 1 ? "(1)" : "('1', '1')");
  sqlite3_stmt* statement = nullptr;
  const bool known = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK;
  sqlite3_finalize(statement);
  return known;
}

}  // namespace

bool AddFunctions(sqlite3* db, const WorkLimits& limits) {
  for (const AddedFunction& added : kAdded) {
    const bool built_in = added.built_in_since != kNoVersion && sqlite3_libversion_number() >= added.built_in_since;
    if (!built_in && !AddOne(db, added, limits)) return false;
  }
  return true;
}

bool AddMissingFunctions(sqlite3* db) {
  for (const AddedFunction& added : kAdded) {
    if (!HostHas(db, added) && !AddOne(db, added, {})) return false;
  }
  return true;
}

}  // namespace ofindex
