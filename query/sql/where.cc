#include "query/sql/where.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "query/filter/predicate.h"
#include "query/sql/program.h"
#include "query/sql/sql_error.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/tables/catalog_tables.h"
#include "query/tables/records_table.h"

namespace ofindex {
namespace {

// Returns true if `text` contains the lower-case `word`, in any case.
bool Mentions(std::string_view text, std::string_view word) { return Folded(text).find(word) != std::string::npos; }

// In an expression over `records` only, numeric affinity can come only from a cast or from another SELECT.
bool IsPlain(std::string_view expression) { return !Mentions(expression, "cast") && !Mentions(expression, "select"); }

constexpr std::string_view kBefore = "SELECT _id FROM records WHERE (";

/// A session with a table that can record constraints.
struct WhereQuery {
  std::shared_ptr<PushedConstraints> pushed;
  SqlSession session;
  std::string sql;

  // `shared` may be null.
  static Result<WhereQuery> Open(const std::shared_ptr<ColumnStore>& store, std::string_view expression,
                                 const std::shared_ptr<SharedCatalog>& shared) {
    const std::vector<SqlToken> tokens = TokensOf(expression);
    // In the parentheses around it, it would be the value of its first row.
    if (!tokens.empty() && (tokens[0].IsWord("select") || tokens[0].IsWord("with"))) {
      return Fail(ErrorCode::kUsage, "SQL: a whole query; expected an expression alone, as after WHERE",
                  "leave out SELECT ... WHERE, or answer the whole query with `ofindex sql`");
    }
    auto pushed = std::make_shared<PushedConstraints>();
    std::vector<std::string> tables = {"records"};
    std::shared_ptr<const Catalog> catalog;
    // Most expressions do not read the catalog, and then it is not read here either.
    if (shared != nullptr && MayReadTable(tokens, kCatalogTables)) {
      OFINDEX_ASSIGN(Catalog read, ReadCatalog(*shared, store->features()));
      catalog = std::make_shared<const Catalog>(std::move(read));
      tables.insert(tables.end(), std::begin(kCatalogTables), std::end(kCatalogTables));
    }
    const auto add = [&](sqlite3* db, const WorkLimits& limits) -> Result<void> {
      OFINDEX_TRY(
          RegisterRecordsTable(db, {.store = store, .plain = IsPlain(expression), .pushed = pushed, .limits = limits}));
      return catalog == nullptr ? Result<void>() : RegisterCatalogTables(db, catalog, limits);
    };
    OFINDEX_ASSIGN(SqlSession session, SqlSession::Open(add, std::move(tables)));
    if (shared != nullptr && catalog == nullptr)
      session.KnowTables({std::begin(kCatalogTables), std::end(kCatalogTables)});
    session.KnowIndexes({{"records", store}});
    std::string sql = StrCat(kBefore, expression, kExpressionEnd);
    return WhereQuery{std::move(pushed), std::move(session), std::move(sql)};
  }

  // An expression must be complete on its own. One that closes the parenthesis around it, and opens another for the
  // end, is not: it would be an injected statement.
  Result<void> CheckAlone(std::string_view expression, const std::vector<SqlParameter>& parameters,
                          const SqlLimits& limits) {
    if (expression.find(')') == std::string_view::npos) return {};
    constexpr std::string_view kAlone = "EXPLAIN SELECT _id FROM records WHERE ";
    OFINDEX_TRY(session.Query(StrCat(kAlone, expression), parameters, limits, kAlone.size()));
    return {};
  }

  // Errors count bytes from the start of the expression.
  Result<SqlRows> Run(const std::vector<SqlParameter>& parameters, const SqlLimits& limits) {
    return session.Query(sql, parameters, limits, kBefore.size());
  }

  Result<SqlRows> Explain(const std::vector<SqlParameter>& parameters, SqlLimits limits) {
    limits.rows = std::nullopt;  // of the answer, not of its program
    constexpr std::string_view kExplain = "EXPLAIN ";
    return session.Query(StrCat(kExplain, sql), parameters, limits, kExplain.size() + kBefore.size());
  }
};

/// A loop in which SQLite only reads the _id of each row from the table, and skips the row if one of the columns
/// `not_null` is NULL, which SQLite checks even if the table already has.
struct IdleLoop {
  std::vector<uint32_t> not_null;
};

/// Reads the program of a statement, as EXPLAIN shows it, and finds whether its loop over the table is an idle one.
class ProgramReader {
 public:
  void Read(int64_t address, const Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    if (opcode == "VNext") {
      inside_ = false;
      if (std::any_of(jumps_.begin(), jumps_.end(), [&](int64_t jump) { return jump != address; })) idle_ = false;
    } else if (inside_) {
      ReadInLoop(instruction);
    } else if (opcode == "VFilter") {
      inside_ = true;
      ++scans_;
    }
  }

  [[nodiscard]] std::optional<IdleLoop> Take() {
    if (!idle_ || scans_ != 1) return std::nullopt;
    return std::move(loop_);
  }

 private:
  void ReadInLoop(const Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    if (opcode == "VColumn") {
      columns_[instruction.p3] = static_cast<uint32_t>(instruction.p2);
    } else if (opcode == "IsNull" && columns_.contains(instruction.p1)) {
      loop_.not_null.push_back(columns_[instruction.p1]);
      jumps_.push_back(instruction.p2);
    } else if (opcode != "Rowid" && opcode != "ResultRow") {
      idle_ = false;
    }
  }

  IdleLoop loop_;
  bool idle_ = true;
  bool inside_ = false;
  int scans_ = 0;
  std::map<int64_t, uint32_t> columns_;  // by the register that holds them
  std::vector<int64_t> jumps_;           // to where rows are skipped
};

// Returns the loop of the statement, if SQLite leaves the rest to the table.
Result<std::optional<IdleLoop>> FindIdleLoop(WhereQuery& query, const std::vector<SqlParameter>& parameters,
                                             const SqlLimits& limits) {
  OFINDEX_ASSIGN(SqlRows explained, query.Explain(parameters, limits));
  OFINDEX_ASSIGN(const std::vector<Instruction> program, ReadProgram(explained));
  ProgramReader reader;
  for (size_t i = 0; i < program.size(); ++i) reader.Read(static_cast<int64_t>(i), program[i]);
  return reader.Take();
}

// A selection of some blocks, to which records are added one by one, in any order.
class RecordCollector {
 public:
  explicit RecordCollector(const std::vector<BlockMetadata>& blocks) : blocks_(blocks), words_(blocks.size()) {}

  // Returns false if there is no such record.
  [[nodiscard]] bool Add(uint64_t ordinal) {
    if (block_ >= blocks_.size() || ordinal - blocks_[block_].first_record >= blocks_[block_].records) {
      const auto behind =
          std::upper_bound(blocks_.begin(), blocks_.end(), ordinal,
                           [](uint64_t a, const BlockMetadata& metadata) { return a < metadata.first_record; });
      if (behind == blocks_.begin()) return false;
      block_ = static_cast<size_t>(behind - blocks_.begin()) - 1;
    }
    const uint64_t record = ordinal - blocks_[block_].first_record;
    if (record >= blocks_[block_].records) return false;
    words_[block_].resize(WordCount(blocks_[block_].records));
    words_[block_][record / 64] |= uint64_t{1} << (record % 64);
    return true;
  }

  void Add(size_t block, const BlockSelection& selected) {
    if (selected.count == 0) return;
    words_[block].resize(WordCount(blocks_[block].records));
    for (uint32_t w = 0; w < words_[block].size(); ++w) {
      words_[block][w] |= selected.Word(blocks_[block].records, w);
    }
  }

  [[nodiscard]] Selection Take() {
    std::vector<BlockSelection> selected;
    selected.reserve(blocks_.size());
    for (size_t b = 0; b < blocks_.size(); ++b) {
      selected.push_back(SelectionOf(std::move(words_[b]), blocks_[b].records));
    }
    return {blocks_, std::move(selected)};
  }

 private:
  const std::vector<BlockMetadata>& blocks_;
  std::vector<std::vector<uint64_t>> words_;  // by block; empty until a record is selected
  size_t block_ = 0;                          // of the last added record
};

Result<Selection> StepRows(WhereQuery& query, const ColumnStore& store, const std::vector<SqlParameter>& parameters,
                           const SqlLimits& limits) {
  OFINDEX_ASSIGN(SqlRows rows, query.Run(parameters, limits));
  RecordCollector collector(store.blocks());
  for (;;) {
    OFINDEX_ASSIGN(const bool more, rows.Next());
    if (!more) return collector.Take();
    const SqlValue id = rows.At(0);
    const bool known = id.type == ColumnValue::Type::kInteger && collector.Add(static_cast<uint64_t>(id.integer));
    if (!known) {
      return Fail(ErrorCode::kUsage, "expected a single expression; this one returns values that are not records",
                  "write an expression that may follow WHERE");
    }
  }
}

// SQLite evaluates the constants, asks the table for records, and gets none: after that, the constraints that it passed
// are known. If it asks several times, for example once for each value of a list, the records that meet the constraints
// of at least one request are selected.
Result<Selection> RunKernels(WhereQuery& query, ColumnStore& store, const IdleLoop& loop,
                             const std::vector<SqlParameter>& parameters, const SqlLimits& limits) {
  query.pushed->active = true;
  OFINDEX_ASSIGN(SqlRows rows, query.Run(parameters, limits));
  OFINDEX_TRY(rows.Next());
  const uint64_t blocks = store.blocks().size();
  RecordCollector collector(store.blocks());
  for (std::vector<Constraint>& conjunction : query.pushed->conjunctions) {
    for (const uint32_t column : loop.not_null) conjunction.push_back({.column = column, .op = Op::kNotNull});
    OFINDEX_ASSIGN(const Predicate predicate, Predicate::Of(store, conjunction, limits.cancel));
    OFINDEX_ASSIGN(std::vector<BlockSelection> selected, predicate.Evaluate(0, blocks, store.threads()));
    if (query.pushed->conjunctions.size() == 1) return Selection(store.blocks(), std::move(selected));
    for (size_t b = 0; b < blocks; ++b) collector.Add(b, selected[b]);
  }
  return collector.Take();
}

}  // namespace

Result<Selection> Where(const std::shared_ptr<ColumnStore>& store, std::string_view expression,
                        const std::vector<SqlParameter>& parameters, const SqlLimits& limits,
                        const std::shared_ptr<SharedCatalog>& catalog, ColumnsRead* columns_read) {
  return WithMemory("a selection", [&]() -> Result<Selection> {
    OFINDEX_ASSIGN(WhereQuery query, WhereQuery::Open(store, expression, catalog));
    OFINDEX_ASSIGN(const std::optional<IdleLoop> loop, FindIdleLoop(query, parameters, limits));
    OFINDEX_TRY(query.CheckAlone(expression, parameters, limits));
    if (columns_read != nullptr) *columns_read = query.session.columns_read();
    if (!loop) return StepRows(query, *store, parameters, limits);
    return RunKernels(query, *store, *loop, parameters, limits);
  });
}

Result<bool> NeedsNoRows(const std::shared_ptr<ColumnStore>& store, std::string_view expression,
                         const std::vector<SqlParameter>& parameters) {
  OFINDEX_ASSIGN(WhereQuery query, WhereQuery::Open(store, expression, nullptr));
  OFINDEX_ASSIGN(const std::optional<IdleLoop> loop, FindIdleLoop(query, parameters, {}));
  return loop.has_value();
}

}  // namespace ofindex
