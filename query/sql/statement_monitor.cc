#include "query/sql/statement_monitor.h"

#include <sqlite3.h>

#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/text.h"

namespace ofindex {
namespace {

// Number of operations of SQLite's virtual machine between two checks. So many take a microsecond or two, unless they
// copy large values. A check costs about 50 ns.
constexpr int kOperationsPerCheck = 100;

std::string Seconds(std::chrono::nanoseconds time) {
  std::string text = std::to_string(std::chrono::duration<double>(time).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

}  // namespace

StatementMonitor::StatementMonitor(const SqlLimits& limits, SqlMemory& memory)
    : limits_(limits), begin_(limits.begin.value_or(std::chrono::steady_clock::now())), memory_(memory) {}

bool StatementMonitor::MayContinue() {
  if (reason_) return false;
  auto checked = WithMemory("a statement", [&]() -> Result<void> {
    CheckLimits();
    return {};
  });
  if (!checked) reason_ = std::move(checked).error();
  return !reason_;
}

void StatementMonitor::CheckLimits() {
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

void StatementMonitor::Watch(sqlite3* db) {
  memory_.Bound(limits_.memory_bytes);
  sqlite3_progress_handler(
      db, kOperationsPerCheck,
      [](void* monitor) { return static_cast<StatementMonitor*>(monitor)->MayContinue() ? 0 : 1; }, this);
}

}  // namespace ofindex
