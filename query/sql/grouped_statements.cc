#include "query/sql/grouped_statements.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/text.h"
#include "query/sql/statements/expression_program.h"
#include "query/sql/statements/statement_text.h"
#include "query/tables/records_plan.h"

namespace ofindex {
namespace {

constexpr std::array<std::string_view, 3> kSums = {"sum", "total", "avg"};

bool IsSum(std::string_view function) { return std::find(kSums.begin(), kSums.end(), function) != kSums.end(); }
bool IsBound(std::string_view function) { return function == "min" || function == "max"; }

// Returns the number of the offer that the plan of a VFilter shows.
std::optional<size_t> OfferOf(const Instruction& instruction) {
  if (instruction.opcode != "VFilter") return std::nullopt;
  return RecordsPlan::Decode(instruction.p4).group;
}

// Adds what `use` needs to the argument of its column.
void AddUse(const GroupLoop::Use& use, std::vector<Argument>& arguments) {
  auto found = std::find_if(arguments.begin(), arguments.end(),
                            [&](const Argument& argument) { return argument.column == use.column; });
  if (found == arguments.end()) found = arguments.insert(found, {.column = use.column});
  if (IsBound(use.function)) {
    found->bounds = true;
  } else if (use.distinct) {
    found->distinct = true;
  } else if (use.function == "count") {
    found->counts = true;
  } else {
    found->sums = true;
  }
}

// Returns whether a statement compares the columns of `records` with constants and parameters only: numeric affinity
// comes from casts and from the columns of other tables and scans.
bool IsPlain(const std::vector<Instruction>& program) {
  int scans = 0;
  for (const Instruction& instruction : program) {
    const std::string& opcode = instruction.opcode;
    if (opcode == "Cast" || opcode == "OpenRead" || opcode == "OpenAutoindex" || opcode == "InitCoroutine")
      return false;
    scans += opcode == "VOpen" ? 1 : 0;
  }
  return scans == 1;
}

// Returns whether the statement must end now.
bool IsOver(const SqlLimits& limits) {
  if (limits.cancel != nullptr && *limits.cancel) return true;
  return limits.timeout && limits.begin && std::chrono::steady_clock::now() - *limits.begin > *limits.timeout;
}

// Returns whether a column of `records` never holds bytes or lists.
bool HoldsNumbersOnly(const ColumnStore& store, uint32_t number) {
  if (number >= store.columns().size()) return false;
  const Column& column = store.columns()[number];
  return !column.is_list() && (store.kinds(column) & kBytesKind) == 0;
}

// Returns the values of literals; nothing unless all are reals.
std::optional<std::vector<ComputedColumn::Number>> ValuesOf(SqlSession& session,
                                                            const std::vector<std::string>& literals,
                                                            const SqlLimits& limits) {
  std::vector<ComputedColumn::Number> values;
  if (literals.empty()) return values;
  std::string sql;
  for (const std::string& literal : literals) sql += StrCat(sql.empty() ? "SELECT " : ", ", literal);
  SqlLimits all = limits;
  all.rows = std::nullopt;
  Result<SqlRows> rows = session.Query(sql, {}, all);
  const Result<bool> more = rows ? rows->Next() : Result<bool>(false);
  if (!more || !*more) return std::nullopt;
  for (size_t i = 0; i < literals.size(); ++i) {
    const SqlValue value = rows->At(i);
    if (value.type != ColumnValue::Type::kReal) return std::nullopt;
    values.emplace_back().type = value.type;
    values.back().real = value.real;
  }
  return values;
}

// Seals the scans when it is destroyed, whatever happened.
class Sealed {
 public:
  explicit Sealed(GroupedScans& scans) : scans_(scans) {}
  ~Sealed() { scans_.Seal(); }
  Sealed(const Sealed&) = delete;
  Sealed& operator=(const Sealed&) = delete;

 private:
  GroupedScans& scans_;
};

// Returns how many times a program steps through sum(), total() or avg().
size_t CountSums(const std::vector<Instruction>& program) {
  return static_cast<size_t>(std::count_if(program.begin(), program.end(), [](const Instruction& instruction) {
    const std::string& name = instruction.p4;
    return instruction.opcode.starts_with("Agg") && instruction.opcode != "AggFinal" && name.ends_with("(1)") &&
           IsSum(std::string_view(name).substr(0, name.size() - 3));
  }));
}

}  // namespace

Result<std::unique_ptr<GroupedStatements>> GroupedStatements::Open(const std::shared_ptr<ColumnStore>& store,
                                                                   const AddTables& add,
                                                                   std::vector<std::string> tables) {
  auto scans = std::make_shared<GroupedScans>(store->columns());
  const auto add_all = [&](sqlite3* db, const WorkLimits& limits) -> Result<void> {
    // Plans must not depend on bound values: the statement would be compiled again, with another plan.
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, nullptr);
    OFINDEX_TRY(add(db, limits, scans));
    if (RegisterAggregates(db, &scans->armed())) return {};
    return Fail(ErrorCode::kLimit, StrCat("no SQL session: ", sqlite3_errmsg(db)), "free some memory");
  };
  OFINDEX_ASSIGN(SqlSession session, SqlSession::Open(add_all, std::move(tables)));
  return std::unique_ptr<GroupedStatements>(new GroupedStatements(store, scans, std::move(session)));
}

Result<std::optional<SqlRows>> GroupedStatements::Query(std::string_view sql,
                                                        const std::vector<SqlParameter>& parameters,
                                                        const SqlLimits& limits) {
  if (session_.idle()) scans_->Clear();
  if (sql.find(scans_->computed_prefix()) != std::string_view::npos) return std::nullopt;
  const Sealed sealed(*scans_);
  scans_->Begin({});
  OFINDEX_ASSIGN(std::optional<SqlRows> rows, Run(sql, parameters, limits));
  if (rows) return rows;
  return QueryComputed(sql, parameters, limits);
}

Result<std::optional<SqlRows>> GroupedStatements::Run(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                                      const SqlLimits& limits) {
  OFINDEX_ASSIGN(const bool accepted, Plan(sql, parameters, limits));
  if (!accepted) return std::nullopt;
  scans_->Prepare();
  Result<SqlRows> rows = session_.Query(sql, parameters, limits);
  if (!rows || !scans_->complete()) return std::nullopt;
  return std::optional<SqlRows>(*std::move(rows));
}

// Runs the statement with columns in place of its arithmetic.
Result<std::optional<SqlRows>> GroupedStatements::QueryComputed(std::string_view sql,
                                                                const std::vector<SqlParameter>& parameters,
                                                                const SqlLimits& limits) {
  // A statement that SQLite refuses must not become one that it accepts.
  if (!Explain(sql, false, parameters, limits)) return std::nullopt;
  std::optional<ComputedTerms> terms = NameComputedTerms(sql, scans_->computed_names());
  if (!terms) return std::nullopt;
  ComputedColumns computed;
  for (const ComputedTerms::Expression& expression : terms->expressions) {
    computed.push_back(Compile(expression, limits));
    if (computed.back() == nullptr) return std::nullopt;
  }
  scans_->Begin(std::move(computed));
  OFINDEX_ASSIGN(std::optional<SqlRows> rows, Run(terms->sql, parameters, limits));
  if (rows && WithoutExplain(sql).size() == sql.size()) rows->Rename(scans_->computed_prefix(), terms->names);
  return rows;
}

// Returns null if SQLite would compute the expression in steps that ComputedColumn does not have, or from other values
// than numbers.
std::shared_ptr<const ComputedColumn> GroupedStatements::Compile(const ComputedTerms::Expression& expression,
                                                                 const SqlLimits& limits) {
  const std::optional<std::vector<ComputedColumn::Number>> literals = ValuesOf(session_, expression.literals, limits);
  if (!literals) return nullptr;
  std::vector<SqlParameter> parameters;
  for (size_t i = 0; i < literals->size(); ++i) {
    parameters.push_back({std::to_string(i + 1), {.type = ColumnValue::Type::kReal, .real = (*literals)[i].real}});
  }
  const Result<std::vector<Instruction>> program = Explain(expression.select, false, parameters, limits);
  std::optional<std::vector<ComputedColumn::Step>> steps;
  if (program) steps = ReadExpression(*program, *literals);
  if (!steps) return nullptr;
  for (const ComputedColumn::Step& step : *steps) {
    if (step.op == ComputedColumn::Step::Op::kColumn && !HoldsNumbersOnly(*store_, step.column)) return nullptr;
  }
  return std::make_shared<const ComputedColumn>(*std::move(steps), expression.text);
}

// Finds the scans of a statement that can return groups, and returns whether there are any. If SQLite relies on groups
// in another scan, it must compile the statement again without them.
Result<bool> GroupedStatements::Plan(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                     const SqlLimits& limits) {
  constexpr int kMaxAttempts = 8;
  bool plain = false;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const Result<std::vector<Instruction>> program = Explain(sql, plain, parameters, limits);
    if (!program && IsOver(limits)) return tl::unexpected<Error>(program.error());
    if (!program) return false;
    bool denied = false;
    if (AcceptScans(*program, denied) && !denied) return true;
    if (denied) continue;
    if (plain || !IsPlain(*program)) return false;
    plain = true;
  }
  return false;
}

Result<std::vector<Instruction>> GroupedStatements::Explain(std::string_view sql, bool plain,
                                                            const std::vector<SqlParameter>& parameters,
                                                            const SqlLimits& limits) {
  SqlLimits all = limits;
  all.rows = std::nullopt;
  scans_->Explain(plain);
  OFINDEX_ASSIGN(SqlRows rows, session_.Query(StrCat("EXPLAIN ", WithoutExplain(sql)), parameters, all));
  return ReadProgram(rows);
}

// Returns whether a scan was accepted. Sets `denied` if an offer was denied that SQLite relies on.
bool GroupedStatements::AcceptScans(const std::vector<Instruction>& program, bool& denied) {
  bool accepted = false;
  size_t sums = 0;
  for (size_t i = 0; i < program.size(); ++i) {
    const std::optional<size_t> number = OfferOf(program[i]);
    if (!number) continue;
    const GroupOffer& offer = scans_->offer(*number);
    const std::optional<GroupLoop> loop = ReadGroupLoop(program, i, offer);
    std::optional<GroupedScan> scan = loop ? ScanFor(*loop, offer) : std::nullopt;
    if (scan) {
      accepted = true;
      sums += static_cast<size_t>(std::count_if(loop->uses.begin(), loop->uses.end(),
                                                [](const GroupLoop::Use& use) { return IsSum(use.function); }));
      scans_->Accept(*number, *std::move(scan));
    } else if (offer.promised) {
      denied = scans_->Deny(*number) || denied;
    }
  }
  // Our functions sum other values as SQLite before 3.43 does, but not quite as later versions do.
  return accepted && (SumRuleOfSqlite() == SumRule::kPlain || sums == CountSums(program));
}

// Returns the groups that a scan with such a loop can return; nothing if it must return records.
std::optional<GroupedScan> GroupedStatements::ScanFor(const GroupLoop& loop, const GroupOffer& offer) const {
  GroupedScan scan{.request = {},
                   .not_null = loop.not_null,
                   .distinct = offer.distinct && loop.of_keys,
                   .sorted = offer.sorted,
                   .counts_rows = loop.counts_rows};
  if (loop.of_keys) scan.request.keys = offer.keys;
  scan.request.computed = scans_->computed();
  if (!Exist(loop, scan.request)) return std::nullopt;
  const auto is_key = [&](uint32_t column) {
    return std::any_of(scan.request.keys.begin(), scan.request.keys.end(),
                       [&](const auto& key) { return key.column == column; });
  };
  if (loop.tells_equal_keys_apart && std::any_of(scan.request.keys.begin(), scan.request.keys.end(),
                                                 [&](const auto& key) { return !LooksAlike(key.column); })) {
    return std::nullopt;
  }
  for (const GroupLoop::Use& use : loop.uses) {
    const bool known = use.function == "count" || IsBound(use.function) || (IsSum(use.function) && CanSum(use.column));
    if (!known || IsList(use.column)) return std::nullopt;
    // SQLite itself finds the least, greatest and distinct values of a key: the first row of the group shows it.
    if (!is_key(use.column) || !(use.distinct || IsBound(use.function))) AddUse(use, scan.request.arguments);
  }
  if (scan.request.arguments.size() > ArmedGroup::kMaxArguments) return std::nullopt;
  return scan;
}

// Returns whether each column that the loop uses has values: some hidden ones have none, and none is ever tested for
// NULL.
bool GroupedStatements::Exist(const GroupLoop& loop, const GroupRequest& request) const {
  const size_t stored = store_->columns().size();
  const size_t all = stored + request.computed.size();
  return std::all_of(loop.uses.begin(), loop.uses.end(), [&](const auto& use) { return use.column < all; }) &&
         std::all_of(request.keys.begin(), request.keys.end(), [&](const auto& key) { return key.column < all; }) &&
         std::all_of(loop.not_null.begin(), loop.not_null.end(), [&](uint32_t column) { return column < stored; });
}

bool GroupedStatements::IsList(uint32_t number) const {
  return number < store_->columns().size() && store_->columns()[number].is_list();
}

// Returns whether sums of the column are computed as SQLite would, in the order in which kernels see the values.
bool GroupedStatements::CanSum(uint32_t number) const {
  if (number >= store_->columns().size()) return SumRuleOfSqlite() == SumRule::kPlain;
  const Column& column = store_->columns()[number];
  if ((store_->kinds(column) & kBytesKind) != 0) return false;
  const Result<SumKind> kind = SumKindOf(*store_, column);
  return kind && (SumRuleOfSqlite() == SumRule::kPlain || *kind != SumKind::kAny);
}

// Returns whether equal values of the column are the same: 1 and 1.0 are not, nor are 0.0 and -0.0.
bool GroupedStatements::LooksAlike(uint32_t number) const {
  if (number >= store_->columns().size()) {
    const Result<bool> integral = scans_->computed()[number - store_->columns().size()]->IsIntegral(*store_);
    return integral && *integral;
  }
  const Column& column = store_->columns()[number];
  return (store_->kinds(column) & kRealKinds) == 0;
}

}  // namespace ofindex
