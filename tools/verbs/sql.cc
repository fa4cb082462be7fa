#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "index/finding/missing_paths.h"
#include "tools/options/attachments.h"
#include "tools/options/selecting.h"
#include "tools/options/statement_notes.h"
#include "tools/prompt/prompt.h"
#include "tools/rows/statement.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
#include "tools/tables/session_options.h"
#include "tools/terminal/terminal.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxTableRows = 1000;  // by default: a table on a terminal is kept in memory to fit its columns
constexpr uint64_t kMaxMemoryBytes = uint64_t{1} << 30;
constexpr size_t kMaxQueryBytes = 1 << 20;  // of standard input; SQLite's own limit is lower
constexpr double kMaxSeconds = 1e9;

struct SqlArguments {
  std::string index;
  std::optional<std::string> query;
  std::vector<std::string> parameters;
  std::optional<double> timeout;
  std::optional<uint64_t> max_rows;
  SessionOptions session;
  bool csv = false;
  bool no_header = false;
};

// With other indexes, a single argument is the query, unless it is the path of an index or of data.
Result<void> DivideArguments(SqlArguments& arguments) {
  if (!arguments.session.indexes.empty()) {
    const bool alone = !arguments.query && !arguments.index.empty();
    if (alone && !IsKnown(arguments.index)) arguments.query = std::exchange(arguments.index, {});
    return {};
  }
  if (!arguments.index.empty()) return {};
  return Fail(ErrorCode::kUsage, "INDEX is missing; usage: ofindex sql [INDEX] [QUERY] [OPTIONS]",
              "see `ofindex sql --help`");
}

RowForm FormOf(const SqlArguments& arguments, const Context& context) {
  if (context.json) return RowForm::kJson;
  if (context.jsonl) return RowForm::kJsonLines;
  if (!arguments.csv) return RowForm::kTable;
  return arguments.no_header ? RowForm::kCsvRows : RowForm::kCsv;
}

// Reads a query from standard input, up to the maximum length of a query.
Result<std::string> ReadQuery(const Context& context) {
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

// Returns the query: the argument, the file that it names, or standard input if it is "-" or missing.
Result<std::string> QueryOf(const SqlArguments& arguments, const Context& context) {
  if (arguments.query && *arguments.query != "-") return ReadSql(*arguments.query);
  if (!arguments.query && ::isatty(STDIN_FILENO) == 1) {
    return Fail(ErrorCode::kUsage, "sql: QUERY is missing, and standard output is not a terminal; expected a SELECT",
                "give one, or - to read it from standard input");
  }
  return ReadQuery(context);
}

Result<SqlLimits> LimitsOf(const SqlArguments& arguments, const Context& context) {
  SqlLimits limits{.rows = arguments.max_rows, .memory_bytes = kMaxMemoryBytes, .cancel = &context.progress.cancel};
  if (!arguments.timeout) return limits;
  if (!(*arguments.timeout > 0)) {
    return Fail(ErrorCode::kUsage, "--timeout: expected a number of seconds above 0", "leave it out for no limit");
  }
  const std::chrono::duration<double> seconds(std::min(*arguments.timeout, kMaxSeconds));
  limits.timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(seconds);
  return limits;
}

Result<int> AnswerOne(SqlSession& session, const std::string& query, const std::vector<SqlParameter>& parameters,
                      SqlLimits limits, RowForm form, const Context& context) {
  const std::optional<size_t> width = TerminalWidth(STDOUT_FILENO);
  if (!limits.rows && form == RowForm::kTable && width) limits.rows = kMaxTableRows;
  const Watchdog watchdog(limits.timeout, context);
  const Statement statement{query, parameters, limits, {form, width}};
  OFINDEX_ASSIGN(const WrittenRows written, WriteRows(session, statement, Output::Standard()));
  NoteOnStatement(query, session, context);
  PrintNotesOn(written, limits, {.columns = "--jsonl shows all", .rows = "--max-rows N shows more"}, context);
  return 0;
}

std::string Greeting(const SqlArguments& arguments) {
  std::string named = Printable(arguments.index);
  for (const std::string& index : arguments.session.indexes) named += (named.empty() ? "" : ", ") + Printable(index);
  return StrCat("ofindex ", OFINDEX_VERSION, " on ", named,
                "\nEnter a SELECT that ends with a semicolon; .help lists commands.\n");
}

Result<int> Ask(SqlArguments arguments, Context& context) {
  OFINDEX_TRY(DivideArguments(arguments));
  if (arguments.session.reads_standard_input() && (!arguments.query || *arguments.query == "-")) {
    return Fail(ErrorCode::kUsage, "standard input is a table, so the query cannot come from there",
                "give the query as an argument, or as @FILE");
  }
  const bool prompt = !arguments.query && HasUser();
  OFINDEX_ASSIGN(const std::string query, prompt ? Result<std::string>() : QueryOf(arguments, context));
  OFINDEX_ASSIGN(std::vector<SqlParameter> parameters, ParseParameters(arguments.parameters));
  OFINDEX_ASSIGN(const SqlLimits limits, LimitsOf(arguments, context));
  OFINDEX_ASSIGN(SqlSession session, OpenSession(arguments.index, arguments.session, limits.memory_bytes, context));
  const RowForm form = FormOf(arguments, context);
  if (!prompt) return AnswerOne(session, query, parameters, limits, form, context);
  return RunPrompt(session, {std::move(parameters), limits}, form, Greeting(arguments), context);
}

}  // namespace

void AddSql(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "sql", "Run a read-only SQL query on records, shards, features, bad and damage",
                      Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<SqlArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after");
  verb.AddArgument(
          "QUERY", arguments->query,
          "One SELECT; - reads it from standard input, @FILE from a file. Without it, asks for statements on a "
          "terminal")
      .MayBeginWithDash();
  AddParameters(verb, arguments->parameters);
  AddSessionOptions(verb, arguments->session);
  verb.AddOption("--timeout", arguments->timeout, "SECONDS",
                 "End the statement after this time, with exit code 7; default none");
  verb.AddOption(
      "--max-rows", arguments->max_rows, "N",
      "Most rows to show; a note says if there are more; default 1000 in a table on a terminal, otherwise all");
  verb.AddFlag("--csv", arguments->csv, "Comma-separated values (RFC 4180, lines end with LF), with a header")
      .Excludes({"--json", "--jsonl"});
  verb.AddFlag("--no-header", arguments->no_header, "Without the header of --csv").Needs("--csv");
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return Ask(*arguments, context); });
}

}  // namespace ofindex
