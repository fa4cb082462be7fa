#include <algorithm>
#include <bit>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/text/fuzz_parameters.h"
#include "fuzz/text/text_checks.h"
#include "query/sql/memory_table.h"
#include "query/sql/open_session.h"
#include "query/sql/statements/quoted_columns.h"
#include "query/sql/where.h"

namespace ofindex {
namespace {

constexpr uint64_t kMostRows = 500;
const SqlLimits kStatementLimits = {
    .timeout = std::chrono::milliseconds(300), .rows = kMostRows, .memory_bytes = 32 << 20};

// A session on the dataset and on a table in memory, `one`. A statement that names such a table is run by SQLite alone.
SqlSession& StatementSession() {
  static SqlSession session = [] {
    SessionParts parts;
    parts.indexes.push_back({.name = "", .snapshot = SmallDataset::Get().open().snapshot()});
    parts.tables.push_back({.name = "one",
                            .columns = {{.name = "v", .type = "INTEGER"}},
                            .for_each_row = [](const MemoryTable::TakeRow& take) -> Result<void> {
                              const SqlValue value{.type = ColumnValue::Type::kInteger, .integer = 1};
                              return take({&value, 1});
                            }});
    Result<SqlSession> opened = OpenSession(parts);
    Expect(opened.has_value(), "no session can be opened: ", opened ? "" : opened.error().message);
    return std::move(*opened);
  }();
  return session;
}

// Returns the rows, sorted, each value by its bits; nothing if there is an error, or if some rows are left out.
std::optional<std::vector<std::string>> RowsOf(const std::string& sql) {
  Result<SqlRows> rows = StatementSession().Query(sql, FuzzParameters(sql), kStatementLimits);
  if (!IsThere(rows)) return std::nullopt;
  std::vector<std::string> texts;
  for (;;) {
    const Result<bool> row = rows->Next();
    if (!IsThere(row) || rows->truncated()) return std::nullopt;
    if (!*row) break;
    Expect(texts.size() < kMostRows, "more rows than the limit");
    std::string text;
    for (size_t i = 0; i < rows->columns().size(); ++i) {
      const SqlValue value = rows->At(i);
      text += StrCat(static_cast<int>(value.type), ":", value.integer, ":", std::bit_cast<uint64_t>(value.real), ":",
                     AsText(value.bytes), "|");
    }
    texts.push_back(std::move(text));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Asks what `ofindex sql` asks of a statement besides its rows.
void AskAbout(const std::string& sql) {
  std::vector<std::string> columns;
  for (const Column& column : SmallDataset::Get().columns()->columns()) columns.push_back(column.name);
  for (const std::string& name : ColumnsInSingleQuotes(sql, columns)) {
    Expect(std::find(columns.begin(), columns.end(), name) != columns.end(), "a column that does not exist");
  }
  // It may be an expression, whose errors are other ones.
  static const auto catalog = SmallDataset::Get().open().snapshot()->Catalog().value();
  ColumnsRead of_expression;
  static_cast<void>(IsThere(
      Where(SmallDataset::Get().columns(), sql, FuzzParameters(sql), kStatementLimits, catalog, &of_expression)));
  Expect(!StatementSession().tables().empty(), "a session without tables");
  const Result<ColumnsRead> read = StatementSession().ColumnsReadBy(sql);
  if (IsThere(read)) Expect(read->size() <= 1, "columns of a table that the session does not have");
}

}  // namespace

void CheckSql(ByteView text) {
  const std::string sql(AsText(text));
  AskAbout(sql);
  const auto rows = RowsOf(sql);
  if (!rows) return;
  // These differ from one run to the next, or depend on the order in which SQLite meets rows.
  for (const char* word : {"random", "now", "changes", "explain", "limit", "group_concat", "json_group", "rowid",
                           "over", "current_", "sample"}) {
    if (Folded(sql).find(word) != std::string::npos) return;
  }
  const auto plain = RowsOf(StrCat("SELECT * FROM (", sql, "\n) WHERE (SELECT v FROM one) = 1"));
  if (!plain) return;
  std::string by_kernels;
  std::string by_rows;
  for (const std::string& row : *rows) by_kernels += row + "\n";
  for (const std::string& row : *plain) by_rows += row + "\n";
  ExpectSame(by_kernels, by_rows, "the rows by kernels and by SQLite");
}

}  // namespace ofindex
