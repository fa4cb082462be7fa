#include "query/sql/sql_guard.h"

#include <sqlite3.h>

#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/text.h"

namespace ofindex {
namespace {

// Operations of SQLite's virtual machine between two checks: a microsecond or two, unless they copy large values. A
// check costs about 50 ns.
constexpr int kOperationsPerQuestion = 100;

std::string Seconds(std::chrono::nanoseconds time) {
  std::string text = std::to_string(std::chrono::duration<double>(time).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

}  // namespace

SqlGuard::SqlGuard(const SqlLimits& limits, SqlMemory& memory)
    : limits_(limits), begin_(std::chrono::steady_clock::now()), memory_(memory) {}

bool SqlGuard::MayGoOn() {
  if (reason_) return false;
  auto looked = WithMemory("a statement", [&]() -> Result<void> {
    Look();
    return {};
  });
  if (!looked) reason_ = std::move(looked).error();
  return !reason_;
}

void SqlGuard::Look() {
  if (limits_.cancel != nullptr && *limits_.cancel) {
    reason_ = Interrupted().value();
  } else if (limits_.timeout && std::chrono::steady_clock::now() - begin_ > *limits_.timeout) {
    reason_ = Error{ErrorCode::kLimit, StrCat("the statement took longer than ", Seconds(*limits_.timeout)),
                    "query less, or raise the timeout"};
  } else if (memory_.refused()) {
    reason_ =
        Error{ErrorCode::kLimit,
              StrCat("the statement took more memory than ", FormatBytes(static_cast<double>(limits_.memory_bytes))),
              "sort or group fewer rows or columns at a time"};
  }
}

void SqlGuard::Watch(sqlite3* db) {
  memory_.Bound(limits_.memory_bytes);
  sqlite3_progress_handler(
      db, kOperationsPerQuestion, [](void* guard) { return static_cast<SqlGuard*>(guard)->MayGoOn() ? 0 : 1; }, this);
}

}  // namespace ofindex
