#include "tools/options/selecting.h"

#include <memory>
#include <span>

#include "base/file.h"
#include "base/text.h"
#include "query/sql/where.h"
#include "tools/options/statement_notes.h"
#include "tools/shell/json.h"

namespace ofindex {
namespace {

constexpr size_t kMaxSqlBytes = 1 << 20;  // SQLite's own limit is lower

constexpr char kParameterHelp[] =
    "The value of :NAME, or of ?1 if NAME is 1: a JSON number, string, true, false or null; anything else is text";

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

// Sets the SQL of an expression and its parameters.
Result<void> ReadExpression(const Expression& expression, std::string& sql, std::vector<SqlParameter>& parameters) {
  OFINDEX_ASSIGN(sql, ReadSql(expression.text.value_or("")));
  OFINDEX_ASSIGN(parameters, ParseParameters(expression.parameters));
  return {};
}

}  // namespace

Option AddExpression(Verb& verb, Expression& expression) {
  Option option = verb.AddArgument("EXPR", expression.text,
                                   "An SQL expression, as after WHERE: '\"image/height\" > 256'; @FILE reads it from a "
                                   "file");
  option.Required().MayBeginWithDash();
  AddParameters(verb, expression.parameters);
  return option;
}

Option AddWhere(Verb& verb, Expression& expression, const char* help) {
  Option option = verb.AddOption("--where", expression.text, "EXPR", StrCat(help, "; @FILE reads it from a file"));
  AddParameters(verb, expression.parameters).Needs("--where");
  return option;
}

Option AddParameters(Verb& verb, std::vector<std::string>& parameters) {
  return verb.AddOption("-p,--param", parameters, "NAME=VALUE", kParameterHelp);
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

Result<std::string> ReadSql(const std::string& given) {
  if (!given.starts_with('@')) return given;
  OFINDEX_ASSIGN(const File file, File::OpenRead(given.substr(1)));
  std::string text(kMaxSqlBytes, '\0');
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, std::span(reinterpret_cast<uint8_t*>(text.data()), text.size())));
  if (got == text.size()) {
    return Fail(ErrorCode::kLimit, StrCat(Printable(file.path()), ": too long; expected less than 1 MiB of SQL"),
                "pass long values with -p");
  }
  text.resize(got);
  return text;
}

Result<Selection> SelectRecords(const Snapshot& snapshot, const Expression& expression, const Context& context) {
  std::string sql;
  std::vector<SqlParameter> parameters;
  OFINDEX_TRY(ReadExpression(expression, sql, parameters));
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot.Columns());
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  SqlLimits limits;
  limits.cancel = &context.progress.cancel;
  ColumnsRead read;
  OFINDEX_ASSIGN(Selection selection, Where(store, sql, parameters, limits, catalog, &read));
  NoteOnExpression(sql, store, read, context);
  return selection;
}

}  // namespace ofindex
