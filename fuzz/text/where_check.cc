#include <chrono>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/text/fuzz_parameters.h"
#include "fuzz/text/text_checks.h"
#include "query/sql/open_session.h"
#include "query/sql/where.h"

namespace ofindex {
namespace {

const SqlLimits kWhereLimits = {.timeout = std::chrono::milliseconds(300), .memory_bytes = 32 << 20};

// Returns the records for which SQLite itself finds the expression true; nothing if there is an error.
std::optional<std::vector<uint64_t>> SteppedThrough(SqlSession& session, const std::string& expression) {
  Result<SqlRows> rows =
      session.Query(StrCat("SELECT _id FROM records WHERE CASE WHEN (", expression, "\n) THEN 1 ELSE 0 END = 1"),
                    FuzzParameters(expression), kWhereLimits);
  if (!IsThere(rows)) return std::nullopt;
  std::vector<uint64_t> ordinals;
  for (;;) {
    const Result<bool> row = rows->Next();
    if (!IsThere(row)) return std::nullopt;
    if (!*row) return ordinals;
    ordinals.push_back(static_cast<uint64_t>(rows->At(0).integer));
  }
}

SqlSession& WhereSession() {
  static SqlSession session = [] {
    Result<SqlSession> opened = OpenSession(*SmallDataset::Get().open().snapshot());
    Expect(opened.has_value(), "no session can be opened");
    return std::move(*opened);
  }();
  return session;
}

std::string SpellOrdinals(const std::vector<uint64_t>& ordinals) {
  std::string text;
  for (const uint64_t ordinal : ordinals) text += StrCat(ordinal, " ");
  return text;
}

}  // namespace

void CheckWhere(ByteView text) {
  const std::string expression(AsText(text));
  const SmallDataset& dataset = SmallDataset::Get();
  static const auto catalog = dataset.open().snapshot()->Catalog().value();
  const std::vector<SqlParameter> parameters = FuzzParameters(expression);
  ColumnsRead read;
  const Result<Selection> selection = Where(dataset.columns(), expression, parameters, kWhereLimits, catalog, &read);
  if (!IsThere(selection)) return;
  const std::vector<uint64_t> selected = selection->Ordinals();
  Expect(selected.size() == selection->count(), "a selection of another size");
  static_cast<void>(IsThere(NeedsNoRows(dataset.columns(), expression, parameters)));
  // These differ from one evaluation to the next.
  for (const char* word : {"random", "RANDOM", "now", "NOW", "changes"}) {
    if (expression.find(word) != std::string::npos) return;
  }
  const std::optional<std::vector<uint64_t>> stepped = SteppedThrough(WhereSession(), expression);
  if (stepped) ExpectSame(SpellOrdinals(selected), SpellOrdinals(*stepped), "the records by kernels and by rows");
}

}  // namespace ofindex
