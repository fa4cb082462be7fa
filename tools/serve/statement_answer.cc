// POST /api/sql: the rows of a statement, which may be anybody's.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/sql/open_session.h"
#include "tools/rows/row_value.h"
#include "tools/serve/answerers.h"
#include "tools/serve/requests/answers.h"
#include "tools/serve/requests/heavy_work.h"
#include "tools/serve/requests/parameters.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxRows = 10'000;
constexpr uint64_t kRowsUnlessAsked = 1000;
constexpr size_t kMaxAnswerBytes = 16 << 20;
constexpr size_t kMaxCellText = 64 << 10;  // of a value

struct AskedStatement {
  std::string sql = {};
  uint64_t rows = kRowsUnlessAsked;
};

tl::unexpected<Error> WrongBody(std::string_view what) {
  return Fail(ErrorCode::kUsage, StrCat("'/api/sql': ", what),
              "send {\"sql\": \"SELECT ...\", \"limit\": 1000} as the body of the request");
}

Result<AskedStatement> StatementIn(const Request& request) {
  const Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("sql") || !body["sql"].is_string()) {
    return WrongBody("the body is not JSON with a statement; expected \"sql\"");
  }
  AskedStatement statement{.sql = body["sql"].get<std::string>()};
  if (!body.contains("limit")) return statement;
  const Json& limit = body["limit"];
  if (!limit.is_number_unsigned() || limit.get<uint64_t>() > kMaxRows) {
    return WrongBody(StrCat("a wrong limit; expected a number of at most ", kMaxRows));
  }
  statement.rows = limit.get<uint64_t>();
  return statement;
}

std::string_view TypeName(ColumnValue::Type type) {
  switch (type) {
    case ColumnValue::Type::kNull: break;
    case ColumnValue::Type::kInteger: return "INTEGER";
    case ColumnValue::Type::kReal: return "REAL";
    case ColumnValue::Type::kText: return "TEXT";
    case ColumnValue::Type::kBlob: return "BLOB";
  }
  return "NULL";
}

// Collects rows until there are too many bytes.
class RowCollector {
 public:
  explicit RowCollector(size_t columns) : types_(columns, ColumnValue::Type::kNull) {}

  // Returns false once the answer is full; the row is not part of it then.
  bool Add(const SqlRows& rows) {
    Json row = Json::array();
    for (size_t c = 0; c < types_.size(); ++c) {
      const SqlValue value = RowValue(rows, c);
      if (types_[c] == ColumnValue::Type::kNull) types_[c] = value.type;
      cut_ = cut_ || value.bytes.size() > kMaxCellText;
      row.push_back(JsonCell(value, kMaxCellText));
      bytes_ += kBytesOfCell + std::min(value.bytes.size(), 4 * kMaxCellText);
    }
    if (bytes_ > kMaxAnswerBytes) return false;
    rows_.push_back(std::move(row));
    return true;
  }

  [[nodiscard]] Json Types() const {
    Json types = Json::array();
    for (const ColumnValue::Type type : types_) types.push_back(TypeName(type));
    return types;
  }

  [[nodiscard]] Json& rows() { return rows_; }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  static constexpr size_t kBytesOfCell = 24;  // a value of JSON in memory

  std::vector<ColumnValue::Type> types_;  // of the first value that is not NULL
  Json rows_ = Json::array();
  size_t bytes_ = 0;
  bool cut_ = false;
};

Result<Response> RunStatement(const Asked& asked, const AskedStatement& statement, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  OFINDEX_ASSIGN(SqlSession session, OpenSession(*asked.dataset.dataset().snapshot()));
  SqlLimits limits{.rows = statement.rows, .memory_bytes = asked.dataset.options().sql_bytes};
  limits.cancel = &progress.cancel;
  OFINDEX_ASSIGN(SqlRows rows, session.Query(statement.sql, {}, limits));
  RowCollector collector(rows.columns().size());
  bool full = false;
  for (;;) {
    OFINDEX_ASSIGN(const bool more, rows.Next());
    if (!more) break;
    full = !collector.Add(rows);
    if (full) break;
  }
  const std::chrono::duration<double, std::milli> taken = Clock::now() - begin;
  return JsonAnswer({{"columns", JsonTexts(rows.columns())},
                     {"types", collector.Types()},
                     {"rows", std::move(collector.rows())},
                     {"truncated", full || rows.truncated()},
                     {"cut", collector.cut()},
                     {"milliseconds", taken.count()}});
}

}  // namespace

Result<Response> AnswerSql(const Asked& asked) {
  OFINDEX_TRY(Parameters::Of(asked.request, {}));
  OFINDEX_ASSIGN(const AskedStatement statement, StatementIn(asked.request));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  return DoHeavyWork(asked.shared.statements, *question,
                     [&](const Progress& progress) { return RunStatement(asked, statement, progress); });
}

}  // namespace ofindex
