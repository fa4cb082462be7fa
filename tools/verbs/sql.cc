#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "tools/options/selecting.h"
#include "tools/report/row_writer.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
#include "tools/tables/session_options.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxTableRows = 1000;  // by default: a table is kept in memory to align its columns
constexpr uint64_t kMaxMemoryBytes = uint64_t{1} << 30;
constexpr size_t kMaxQueryBytes = 1 << 20;  // of standard input; SQLite's own limit is lower
constexpr double kMaxSeconds = 1e9;

struct SqlArguments {
  std::string index;
  std::string query;
  std::vector<std::string> parameters;
  std::optional<double> timeout;
  std::optional<uint64_t> max_rows;
  SessionOptions session;
  bool csv = false;
  bool no_header = false;
};

// With other indexes, the only argument is the query.
Result<void> DivideArguments(SqlArguments& arguments) {
  if (!arguments.query.empty()) return {};
  if (!arguments.session.indexes.empty()) std::swap(arguments.index, arguments.query);
  if (!arguments.query.empty()) return {};
  return Fail(ErrorCode::kUsage, arguments.index.empty() ? "INDEX is required" : "QUERY is required",
              "see `ofindex sql --help`");
}

RowForm FormOf(const SqlArguments& arguments, const Context& context) {
  if (context.json) return RowForm::kJson;
  if (context.jsonl) return RowForm::kJsonLines;
  if (!arguments.csv) return RowForm::kTable;
  return arguments.no_header ? RowForm::kCsvRows : RowForm::kCsv;
}

// Returns the query. If `argument` is "-" or @FILE, reads it from standard input or from the file, up to the maximum
// length of a query.
Result<std::string> ReadQuery(const std::string& argument, const Context& context) {
  if (argument != "-") return ReadSql(argument);
  std::string query(kMaxQueryBytes, '\0');
  size_t size = 0;
  while (size < query.size()) {
    const ssize_t n = ::read(STDIN_FILENO, query.data() + size, query.size() - size);
    if (context.progress.cancel) return Interrupted();
    if (n < 0 && errno != EINTR) return tl::unexpected(SystemError("standard input", "cannot read", errno));
    if (n == 0) break;
    if (n > 0) size += static_cast<size_t>(n);
  }
  query.resize(size);
  return query;
}

Result<SqlLimits> LimitsOf(const SqlArguments& arguments, const Context& context) {
  SqlLimits limits{.rows = arguments.max_rows, .memory_bytes = kMaxMemoryBytes, .cancel = &context.progress.cancel};
  if (!limits.rows && FormOf(arguments, context) == RowForm::kTable) limits.rows = kMaxTableRows;
  if (!arguments.timeout) return limits;
  if (!(*arguments.timeout > 0)) {
    return Fail(ErrorCode::kUsage, "--timeout: expected a number of seconds above 0", "leave it out for no limit");
  }
  const std::chrono::duration<double> seconds(std::min(*arguments.timeout, kMaxSeconds));
  limits.timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(seconds);
  return limits;
}

// Nothing is written before the first row, so that a statement that fails at once prints no data.
Result<int> Ask(SqlArguments arguments, Context& context) {
  OFINDEX_TRY(DivideArguments(arguments));
  OFINDEX_ASSIGN(const std::string query, ReadQuery(arguments.query, context));
  OFINDEX_ASSIGN(const std::vector<SqlParameter> parameters, ParseParameters(arguments.parameters));
  OFINDEX_ASSIGN(const SqlLimits limits, LimitsOf(arguments, context));
  OFINDEX_ASSIGN(SqlSession session, OpenSession(arguments.index, arguments.session, limits.memory_bytes, context));
  const Watchdog watchdog(limits.timeout, context);
  OFINDEX_ASSIGN(SqlRows rows, session.Query(query, parameters, limits));
  RowWriter writer(FormOf(arguments, context), rows.columns(), Output::Standard());
  OFINDEX_ASSIGN(bool more, rows.Next());
  OFINDEX_TRY(writer.Begin());
  while (more) {
    OFINDEX_TRY(writer.Row(rows));
    OFINDEX_ASSIGN(more, rows.Next());
  }
  OFINDEX_TRY(writer.End(rows.truncated()));
  OFINDEX_TRY(Output::Standard().Flush());
  if (rows.truncated()) {
    PrintNote(StrCat("truncated: there are more than ", Counted(*limits.rows, "row"), "; --max-rows N shows more"),
              context);
  }
  return 0;
}

}  // namespace

void AddSql(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "sql", "Run a read-only SQL query on records, shards, features, bad and damage",
                      Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<SqlArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after");
  verb.AddArgument("QUERY", arguments->query, "One SELECT; - reads it from standard input, @FILE from a file")
      .MayBeginWithDash();
  AddParameters(verb, arguments->parameters);
  AddSessionOptions(verb, arguments->session);
  verb.AddOption("--timeout", arguments->timeout, "SECONDS",
                 "End the statement after this time, with exit code 7; default none");
  verb.AddOption("--max-rows", arguments->max_rows, "N",
                 "Most rows to show; a note says if there are more; default 1000 in a table, otherwise all");
  verb.AddFlag("--csv", arguments->csv, "Comma-separated values (RFC 4180, lines end with LF), with a header")
      .Excludes({"--json", "--jsonl"});
  verb.AddFlag("--no-header", arguments->no_header, "Without the header of --csv").Needs("--csv");
  verb.Runs([arguments, &context] { return Ask(*arguments, context); });
}

}  // namespace ofindex
