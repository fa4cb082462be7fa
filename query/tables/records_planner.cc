#include "query/tables/records_planner.h"

#include <sqlite3.h>
#include <strings.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "index/columns/distinct_sketch.h"
#include "query/filter/predicate.h"
#include "query/tables/equality_index.h"
#include "query/tables/values/sql_values.h"

namespace ofindex {
namespace {

constexpr int kRhsValueVersion = 3038000;
constexpr int kHasConstraint = SQLITE_INDEX_CONSTRAINT_FUNCTION;
constexpr int kLimitConstraint = 73;  // SQLITE_INDEX_CONSTRAINT_LIMIT and OFFSET, since SQLite 3.38
constexpr int kOffsetConstraint = 74;

// What sqlite3_vtab_distinct() says about the order that a statement asks for.
constexpr int kInOrder = 0;
constexpr int kInGroups = 1;
constexpr int kDistinct = 2;

int DistinctOf(sqlite3_index_info& info) {
  return sqlite3_libversion_number() < kRhsValueVersion ? kInOrder : sqlite3_vtab_distinct(&info);
}

std::optional<Op> OpOf(int constraint) {
  switch (constraint) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return Op::kEq;
    case SQLITE_INDEX_CONSTRAINT_NE: return Op::kNe;
    case SQLITE_INDEX_CONSTRAINT_LT: return Op::kLt;
    case SQLITE_INDEX_CONSTRAINT_LE: return Op::kLe;
    case SQLITE_INDEX_CONSTRAINT_GT: return Op::kGt;
    case SQLITE_INDEX_CONSTRAINT_GE: return Op::kGe;
    case SQLITE_INDEX_CONSTRAINT_IS: return Op::kIs;
    case SQLITE_INDEX_CONSTRAINT_ISNOT: return Op::kIsNot;
    case SQLITE_INDEX_CONSTRAINT_ISNULL: return Op::kIsNull;
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: return Op::kNotNull;
    case SQLITE_INDEX_CONSTRAINT_LIKE: return Op::kLike;
    case kHasConstraint: return Op::kHas;
    default: return std::nullopt;
  }
}

bool HoldsBytes(uint8_t kinds) { return (kinds & kBytesKind) != 0; }

bool HoldsNumbers(uint8_t kinds) { return (kinds & (kIntegerKinds | kRealKinds)) != 0; }

// Returns whether the kernels can answer `op` on `column`.
bool CanAnswer(Op op, const Column& column, uint8_t kinds, bool plain) {
  if (IsNullTest(op)) return true;
  if (column.is_list() || op == Op::kHas) return column.is_list() && op == Op::kHas;
  // LIKE treats numbers as text and, in some builds of SQLite, blobs too.
  static const bool kBlobsMatch = sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") == 0;
  return op != Op::kLike || (!HoldsNumbers(kinds) && (plain || !kBlobsMatch));
}

// Returns the value on the other side, if it is a constant.
sqlite3_value* ConstantOf(sqlite3_index_info& info, int i) {
  sqlite3_value* value = nullptr;
  if (sqlite3_libversion_number() < kRhsValueVersion) return nullptr;
  return sqlite3_vtab_rhs_value(&info, i, &value) == SQLITE_OK ? value : nullptr;
}

bool IsBytes(sqlite3_value* value) {
  return value != nullptr && (sqlite3_value_type(value) == SQLITE_TEXT || sqlite3_value_type(value) == SQLITE_BLOB);
}

// Returns true if `op` looks up records by value, repeatedly in joins: see RecordsLookups.
bool IsEquality(Op op) { return op == Op::kEq || op == Op::kIs || op == Op::kIn; }

// Returns how many values a column has, if the index knows this.
std::optional<uint64_t> DistinctIn(const ColumnStore& store, const Column& column) {
  if (column.origin == Column::Origin::kShard) return store.shards().size();
  DistinctSketch sketch;
  const bool values = column.origin == Column::Origin::kFeature && column.role == ColumnRole::kValue;
  if (!values || !sketch.Load(store.features()[column.feature].sketch)) return std::nullopt;
  return sketch.Estimate();
}

// Returns an estimate of the fraction of the undecided records that a constraint leaves.
double ShareOf(Op op) {
  switch (op) {
    case Op::kEq:
    case Op::kIs: return 0.02;
    case Op::kIn: return 0.03;  // less than twice the above, so that `a = 1 OR a = 2` is one query and not two
    case Op::kHas:
    case Op::kLike: return 0.1;
    case Op::kNe:
    case Op::kIsNot:
    case Op::kNotNull: return 0.9;
    case Op::kIsNull: return 0.5;
    default: return 0.3;
  }
}

class Planner {
 public:
  Planner(ColumnStore& store, bool plain, GroupedScans* groups, sqlite3_index_info& info)
      : store_(store), plain_(plain), groups_(groups), info_(info) {}

  RecordsPlan Plan() {
    for (int i = 0; i < info_.nConstraint; ++i) {
      const int op = info_.aConstraint[i].op;
      if (op != kLimitConstraint && op != kOffsetConstraint) exact_ = TakeConstraint(i) && exact_;
    }
    TakeOrder();
    Estimate();
    return std::move(plan_);
  }

 private:
  // Returns false if SQLite must check the records again.
  bool TakeConstraint(int i) {
    const auto& constraint = info_.aConstraint[i];
    std::optional<Op> op = OpOf(constraint.op);
    if (constraint.usable == 0 || !op) return false;
    const auto number = static_cast<uint32_t>(std::max(constraint.iColumn, 0));  // the rowid is _id, column 0
    if (number >= store_.columns().size()) return false;
    const Column& column = store_.columns()[number];
    const uint8_t kinds = store_.kinds(column);
    if (!CanAnswer(*op, column, kinds, plain_)) return false;
    const bool compares = !IsNullTest(*op) && *op != Op::kLike && *op != Op::kHas;
    if (compares && ::strcasecmp(sqlite3_vtab_collation(&info_, i), "BINARY") != 0) return false;
    sqlite3_value* const constant = ConstantOf(info_, i);
    const InKind in = *op == Op::kEq ? InOf(&info_, i) : InKind::kNone;
    const bool is_in = in == InKind::kIn;
    if (is_in) op = Op::kIn;
    // SQLite would repeat the comparison with each single value, as if the other side had no affinity.
    if (!plain_ && in == InKind::kMaybe && HoldsBytes(kinds)) return false;
    const bool unsure = !plain_ && compares && HoldsBytes(kinds) && (is_in || !IsBytes(constant));
    const bool exact = !unsure && (plain_ || *op != Op::kLike);
    plan_.arguments.push_back({number, *op, !exact});
    info_.aConstraintUsage[i].argvIndex = static_cast<int>(plan_.arguments.size());
    info_.aConstraintUsage[i].omit = exact ? 1 : 0;
    Weigh(plan_.arguments.back(), constant);
    return exact;
  }

  void Weigh(const RecordsPlan::Argument& argument, sqlite3_value* constant) {
    const Column& column = store_.columns()[argument.column];
    const bool looked_up = IsEquality(argument.op) && !column.is_list() && constant == nullptr;
    looked_up_ = looked_up_ || looked_up;
    const std::optional<uint64_t> distinct = looked_up ? DistinctIn(store_, column) : std::nullopt;
    const double least = argument.op == Op::kIn ? 1.5 : 1;
    share_ *=
        distinct ? std::min(1.0, least / static_cast<double>(std::max<uint64_t>(1, *distinct))) : ShareOf(argument.op);
    one_ = one_ || (argument.column == 0 && (argument.op == Op::kEq || argument.op == Op::kIs));
    if (IsNullTest(argument.op)) known_.push_back({.column = argument.column, .op = argument.op});
    if (constant == nullptr || argument.op == Op::kIn) return;
    if (auto constraint = RecordsPlan::ConstraintOf(store_, argument, constant))
      known_.push_back(*std::move(constraint));
  }

  // No two records have the same _id, so later terms of the order do not matter.
  void TakeOrder() {
    GroupOffer offer;
    if (info_.nOrderBy > 0 && info_.aOrderBy[0].iColumn <= 0) {
      info_.orderByConsumed = 1;
      plan_.descending = info_.aOrderBy[0].desc != 0;
    } else if (const int distinct = DistinctOf(info_); info_.nOrderBy > 0 && HasNoLists()) {
      if (distinct != kInOrder) {
        Promise(distinct, offer);
      } else if (const std::optional<uint32_t> wanted = Wanted();
                 wanted && exact_ && !looked_up_ && !one_ && HasNoComputed()) {
        info_.orderByConsumed = 1;
        plan_.order = Order();
        plan_.wanted = *wanted;
        plan_.note = StrCat("the first by ", Names(plan_.order));
      }
    }
    if (groups_ == nullptr) return;
    offer.looks_up = looked_up_ || one_;
    const std::optional<uint64_t> number = groups_->Take(offer, plan_.Encode());
    if (!number) return;
    plan_.group = static_cast<uint32_t>(*number);
    plan_.note = offer.keys.empty() ? "one row for all records" : StrCat("one row for each ", Names(offer.keys));
  }

  // Promises rows with equal values next to each other, if a session decides whether the statement may use it.
  void Promise(int distinct, GroupOffer& offer) {
    if (groups_ == nullptr) return;
    GroupOffer promised{
        .keys = Order(), .distinct = distinct != kInGroups, .sorted = distinct != kDistinct, .promised = true};
    if (!groups_->MayPromise(promised, plan_.Encode())) return;
    info_.orderByConsumed = 1;
    offer = std::move(promised);
  }

  [[nodiscard]] std::vector<GroupRequest::Key> Order() const {
    std::vector<GroupRequest::Key> order;
    for (int i = 0; i < info_.nOrderBy; ++i) {
      const auto column = static_cast<uint32_t>(std::max(info_.aOrderBy[i].iColumn, 0));
      order.push_back({.column = column, .descending = info_.aOrderBy[i].desc != 0});
    }
    return order;
  }

  [[nodiscard]] std::string Names(const std::vector<GroupRequest::Key>& keys) const {
    std::string names;
    for (const GroupRequest::Key& key : keys) {
      names += StrCat(names.empty() ? "" : ", ", Printable(NameOf(key.column)), key.descending ? " DESC" : "");
    }
    return names;
  }

  [[nodiscard]] bool IsComputed(uint32_t column) const { return column >= store_.columns().size(); }

  // The name of a computed column is the text of its expression.
  [[nodiscard]] std::string NameOf(uint32_t column) const {
    if (!IsComputed(column)) return store_.columns()[column].name;
    const size_t computed = column - store_.columns().size();
    return groups_ != nullptr && computed < groups_->computed().size() ? groups_->computed()[computed]->text() : "";
  }

  [[nodiscard]] bool HasNoLists() const {
    const std::vector<GroupRequest::Key> order = Order();
    return std::none_of(order.begin(), order.end(), [this](const auto& key) {
      return !IsComputed(key.column) && store_.columns()[key.column].is_list();
    });
  }

  [[nodiscard]] bool HasNoComputed() const {
    const std::vector<GroupRequest::Key> order = Order();
    return std::none_of(order.begin(), order.end(), [this](const auto& key) { return IsComputed(key.column); });
  }

  // Returns how many records will be read if there is a LIMIT; nothing if they are so many that SQLite should sort.
  [[nodiscard]] std::optional<uint32_t> Wanted() const {
    constexpr int64_t kMost = 10'000;
    constexpr int64_t kUnknown = 1000;
    std::optional<int64_t> wanted;
    for (int i = 0; i < info_.nConstraint; ++i) {
      const int op = info_.aConstraint[i].op;
      if (op != kLimitConstraint && op != kOffsetConstraint) continue;
      sqlite3_value* const value = ConstantOf(info_, i);
      // SQLite tells no negative number: as a LIMIT it is none, as an OFFSET it is 0.
      const int64_t known = value == nullptr ? kUnknown : sqlite3_value_int64(value);
      const int64_t count = std::clamp<int64_t>(known, 0, kMost + 1);
      if (op == kLimitConstraint || wanted) wanted = wanted.value_or(0) + count;
    }
    if (!wanted || *wanted > kMost) return std::nullopt;
    return static_cast<uint32_t>(std::max<int64_t>(1, *wanted));
  }

  void Estimate() {
    uint64_t records = store_.records();
    if (const auto predicate = Predicate::Of(store_, known_)) records = predicate->RecordsInQuestion();
    const double rows = one_ ? 1 : std::max(1.0, static_cast<double>(records) * share_);
    info_.estimatedRows = static_cast<sqlite3_int64>(rows);
    const double scanned = static_cast<double>(records) * static_cast<double>(plan_.arguments.size());
    info_.estimatedCost = rows + (one_ || looked_up_ ? EqualityIndex::kLookupCost : 0.02 * scanned);
    if (one_) info_.idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  }

  ColumnStore& store_;
  bool plain_;
  GroupedScans* groups_;
  sqlite3_index_info& info_;
  RecordsPlan plan_;
  bool one_ = false;               // at most one record
  bool exact_ = true;              // SQLite has nothing to check again
  bool looked_up_ = false;         // by values from joins and subqueries
  double share_ = 1;               // of the undecided records
  std::vector<Constraint> known_;  // with known values
};

}  // namespace

RecordsPlan PlanRecords(ColumnStore& store, bool plain, GroupedScans* groups, sqlite3_index_info& info) {
  return Planner(store, plain, groups, info).Plan();
}

}  // namespace ofindex
