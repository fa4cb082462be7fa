#include "query/sql/sql_functions.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

using OwnedConnection = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

OwnedConnection Connect() {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(":memory:", &db) == SQLITE_OK);
  return {db, sqlite3_close};
}

/// An argument: text, blob, number or NULL.
struct CallArgument {
  char type = 't';
  std::string bytes;
};

// Returns the type and bytes of a call's result, or the error.
std::string Call(sqlite3* db, const std::string& expression, const std::vector<CallArgument>& arguments) {
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(db, ("SELECT " + expression).c_str(), -1, &statement, nullptr) == SQLITE_OK);
  int index = 0;
  for (const CallArgument& argument : arguments) {
    const auto size = static_cast<int>(argument.bytes.size());
    ++index;
    if (argument.type == 't') sqlite3_bind_text(statement, index, argument.bytes.data(), size, SQLITE_STATIC);
    if (argument.type == 'b') sqlite3_bind_blob(statement, index, argument.bytes.data(), size, SQLITE_STATIC);
    if (argument.type == 'n') sqlite3_bind_int64(statement, index, size - 2);
  }
  std::string result = "error: ";
  if (sqlite3_step(statement) == SQLITE_ROW) {
    result = std::to_string(sqlite3_column_type(statement, 0)) + ":";
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, 0));
    result += std::string(bytes == nullptr ? "" : bytes, static_cast<size_t>(sqlite3_column_bytes(statement, 0)));
  } else {
    result += sqlite3_errmsg(db);
  }
  sqlite3_finalize(statement);
  return result;
}

/// Arguments made from few characters, so that they often match. Text is UTF-8.
class RandomArguments {
 public:
  CallArgument Text(const std::vector<std::string>& characters, size_t most) {
    CallArgument argument;
    for (size_t n = random_() % (most + 1); n > 0; --n) argument.bytes += characters[random_() % characters.size()];
    return argument;
  }
  CallArgument Any(const std::vector<std::string>& characters, size_t most) {
    CallArgument argument = Text(characters, most);
    const uint64_t kind = random_() % 20;
    if (kind < 5) argument.type = "0nnbb"[kind];
    return argument;
  }

 private:
  std::mt19937_64 random_{7};
};

// Debian's LIKE and GLOB do not treat blobs as text; other builds do.
TEST_CASE("interruptible functions return what SQLite's own do") {
  const OwnedConnection own = Connect();
  StatementMonitor* const none = nullptr;
  const OwnedConnection ours = Connect();
  REQUIRE(RegisterSqlFunctions(ours.get(), &none));
  const std::vector<std::string> plain = {"a", "b", "A", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "1", "0"};
  const std::vector<std::string> like = {"a", "b", "A", "\xc3\xa9", "%", "%", "_", "\\", "1", "0"};
  const std::vector<std::string> glob = {"a", "b", "A", "\xc3\xa9", "*", "*", "?", "[", "]", "-", "^", "[a-b]", "[^a]"};
  RandomArguments arguments;
  int errors = 0;
  for (int round = 0; round < 20'000 / kCaseStep; ++round) {
    struct Row {
      const char* expression;
      std::vector<CallArgument> arguments;
    };
    const std::vector<Row> rows = {
        {"instr(?, ?)", {arguments.Any(plain, 12), arguments.Any(plain, 3)}},
        {"replace(?, ?, ?)", {arguments.Any(plain, 12), arguments.Any(plain, 2), arguments.Any(plain, 3)}},
        {"trim(?)", {arguments.Any({" ", "a", "\t"}, 6)}},
        {"trim(?, ?)", {arguments.Any(plain, 12), arguments.Any(plain, 3)}},
        {"ltrim(?, ?)", {arguments.Any(plain, 12), arguments.Any(plain, 3)}},
        {"rtrim(?, ?)", {arguments.Any(plain, 12), arguments.Any(plain, 3)}},
        {"ltrim(?)", {arguments.Any({" ", "a"}, 6)}},
        {"rtrim(?)", {arguments.Any({" ", "a"}, 6)}},
        {"? LIKE ?", {arguments.Text(plain, 10), arguments.Text(like, 8)}},
        {"? LIKE ?", {arguments.Any(plain, 3), arguments.Any(plain, 3)}},
        {"? LIKE ? ESCAPE '\\'", {arguments.Text(like, 10), arguments.Text(like, 8)}},
        {"? LIKE ? ESCAPE '%'", {arguments.Text(like, 6), arguments.Text(like, 6)}},
        {"? LIKE ? ESCAPE '_'", {arguments.Text(like, 6), arguments.Text(like, 6)}},
        {"? LIKE ? ESCAPE ?", {arguments.Text(like, 3), arguments.Text(like, 3), arguments.Any(like, 2)}},
        {"? GLOB ?", {arguments.Text(glob, 8), arguments.Text(glob, 8)}},
        {"? NOT GLOB ?", {arguments.Any(plain, 4), arguments.Any(glob, 4)}},
    };
    for (const Row& row : rows) {
      const std::string expression = row.expression;
      CAPTURE(expression);
      for (const CallArgument& argument : row.arguments) CAPTURE(argument.bytes);
      const std::string expected = Call(own.get(), row.expression, row.arguments);
      errors += expected.starts_with("error") ? 1 : 0;
      const std::string found = Call(ours.get(), row.expression, row.arguments);
      REQUIRE(found == expected);
    }
  }
  CHECK(errors > 100);
}

TEST_CASE("interruptible functions treat invalid UTF-8, NUL and NULL as SQLite's own do") {
  const OwnedConnection own = Connect();
  StatementMonitor* const none = nullptr;
  const OwnedConnection ours = Connect();
  REQUIRE(RegisterSqlFunctions(ours.get(), &none));
  const std::vector<std::string> odd = {"a", std::string(1, '\0'), "\x80", "\xc3", "\xff", "\xe2\x82"};
  RandomArguments arguments;
  for (int round = 0; round < 20'000 / kCaseStep; ++round) {
    for (const std::string expression : {"instr(?, ?)", "trim(?, ?)", "ltrim(?, ?)", "rtrim(?, ?)"}) {
      CallArgument one = arguments.Text(odd, 8);
      CallArgument other = arguments.Text(odd, 2);
      one.type = other.type = round % 2 == 0 ? 'b' : 't';
      CAPTURE(expression);
      CAPTURE(one.bytes);
      CAPTURE(other.bytes);
      REQUIRE(Call(ours.get(), expression, {one, other}) == Call(own.get(), expression, {one, other}));
    }
  }
}

}  // namespace
}  // namespace ofindex
