#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "query/sql/open_session.h"
#include "tools/prompt/prompt.h"
#include "tools/rows/statement.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
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
  bool csv = false;
  bool table = false;
};

RowForm FormOf(const SqlArguments& arguments, const Context& context) {
  if (context.json) return RowForm::kJson;
  if (context.jsonl) return RowForm::kJsonLines;
  return arguments.csv ? RowForm::kCsv : RowForm::kTable;
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

// Returns the query: the argument, or standard input if that is "-" or missing.
Result<std::string> QueryOf(const SqlArguments& arguments, const Context& context) {
  if (arguments.query && *arguments.query != "-") return *arguments.query;
  if (!arguments.query && ::isatty(STDIN_FILENO) == 1) {
    return Fail(ErrorCode::kUsage, "sql: QUERY is missing, and standard output is not a terminal; expected a SELECT",
                "give one, or - to read it from standard input");
  }
  return ReadQuery(context);
}

// A JSON number, string, true, false or null is taken as such; everything else is text.
ColumnValue ParseValue(const std::string& text) {
  const Json json = text.starts_with('{') || text.starts_with('[') ? Json() : Json::parse(text, nullptr, false);
  const auto real = [](double value) { return ColumnValue{.type = ColumnValue::Type::kReal, .real = value}; };
  const auto integer = [](int64_t value) { return ColumnValue{.type = ColumnValue::Type::kInteger, .integer = value}; };
  if (text == "null") return {};
  if (json.is_boolean()) return integer(json.get<bool>() ? 1 : 0);
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) return real(json.get<double>());
  if (json.is_number_integer()) return integer(json.get<int64_t>());
  if (json.is_number_float()) return real(json.get<double>());
  std::string bytes = json.is_string() ? json.get<std::string>() : text;
  const bool is_text = IsText(AsBytes(bytes));
  return {.type = is_text ? ColumnValue::Type::kText : ColumnValue::Type::kBlob, .bytes = std::move(bytes)};
}

Result<std::vector<SqlParameter>> ParseParameters(const std::vector<std::string>& texts) {
  std::vector<SqlParameter> parameters;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Fail(ErrorCode::kUsage, StrCat("-p '", Printable(text), "': expected NAME=VALUE"),
                  "a statement names it :NAME; ?1 is -p 1=VALUE");
    }
    parameters.push_back({text.substr(0, equals), ParseValue(text.substr(equals + 1))});
  }
  return parameters;
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

void PrintNotesOn(const WrittenRows& written, const SqlLimits& limits, const Context& context) {
  if (written.columns_left_out > 0) {
    PrintNote(StrCat(Counted(written.columns_left_out, "more column"), " did not fit; --jsonl shows all"), context);
  }
  if (written.truncated) {
    PrintNote(StrCat("truncated: there are more than ", Counted(*limits.rows, "row"), "; --max-rows N shows more"),
              context);
  }
}

Result<int> AnswerOne(SqlSession& session, const std::string& query, const std::vector<SqlParameter>& parameters,
                      SqlLimits limits, RowForm form, const Context& context) {
  const std::optional<size_t> width = TerminalWidth(STDOUT_FILENO);
  if (!limits.rows && form == RowForm::kTable && width) limits.rows = kMaxTableRows;
  const Watchdog watchdog(limits.timeout, context);
  const Statement statement{query, parameters, limits, {form, width}};
  OFINDEX_ASSIGN(const WrittenRows written, WriteRows(session, statement, Output::Standard()));
  PrintNotesOn(written, limits, context);
  return 0;
}

std::string Greeting(const Snapshot& snapshot) {
  return StrCat("ofindex ", OFINDEX_VERSION, " on ", Printable(snapshot.path()),
                "\nEnter a SELECT that ends with a semicolon; .help lists commands.\n");
}

Result<int> Ask(const SqlArguments& arguments, Context& context) {
  const bool prompt = !arguments.query && HasUser();
  OFINDEX_ASSIGN(const std::string query, prompt ? Result<std::string>() : QueryOf(arguments, context));
  OFINDEX_ASSIGN(std::vector<SqlParameter> parameters, ParseParameters(arguments.parameters));
  OFINDEX_ASSIGN(const SqlLimits limits, LimitsOf(arguments, context));
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot,
                 Snapshot::Open(arguments.index, {.progress = &context.progress}));
  OFINDEX_ASSIGN(SqlSession session, OpenSession(*snapshot));
  const RowForm form = FormOf(arguments, context);
  if (!prompt) return AnswerOne(session, query, parameters, limits, form, context);
  return RunPrompt(session, {std::move(parameters), limits}, form, Greeting(*snapshot), context);
}

}  // namespace

void AddSql(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "sql", "Run a read-only SQL query on records, shards, features, bad and damage",
                      Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<SqlArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddArgument("QUERY", arguments->query,
                   "One SELECT; - reads it from standard input. Without it, asks for statements on a terminal");
  verb.AddOption("-p,--param", arguments->parameters, "NAME=VALUE",
                 "The value of :NAME, or of ?1 if NAME is 1: a JSON number, string, true, false or null; "
                 "anything else is text");
  verb.AddOption("--timeout", arguments->timeout, "SECONDS",
                 "End the statement after this time, with exit code 7; default none");
  verb.AddOption(
      "--max-rows", arguments->max_rows, "N",
      "Most rows to show; a note says if there are more; default 1000 in a table on a terminal, otherwise all");
  verb.AddFlag("--csv", arguments->csv, "Comma-separated values (RFC 4180), with a header")
      .Excludes({"--json", "--jsonl"});
  verb.AddFlag("--table", arguments->table, "Aligned columns, cut to the width of a terminal; default")
      .Excludes({"--json", "--jsonl", "--csv"});
  verb.Runs([arguments, &context] { return Ask(*arguments, context); });
}

}  // namespace ofindex
