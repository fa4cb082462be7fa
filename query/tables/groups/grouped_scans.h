#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "query/aggregates/computed_column.h"
#include "query/aggregates/grouping.h"
#include "query/columns/column_store.h"
#include "query/tables/groups/armed_group.h"

namespace ofindex {

/// One way to scan the table that it offers to SQLite's planner: in groups, by the columns that SQLite named.
struct GroupOffer {
  std::vector<GroupRequest::Key> keys;
  bool distinct = false;  ///< for DISTINCT
  bool sorted = true;     ///< the groups must come in the order of the keys
  bool promised = false;  ///< the table told SQLite that records with equal keys come together
  bool looks_up = false;  ///< records are found by values that are not known when the statement is prepared

  [[nodiscard]] bool operator==(const GroupOffer&) const = default;
};

/// A scan that returns groups instead of records.
struct GroupedScan {
  GroupRequest request;
  std::vector<uint32_t> not_null = {};  ///< columns whose NULL records are left out
  bool distinct = false;                ///< a row for each group, as soon as it is known if they need not be sorted
  bool sorted = true;
  bool counts_rows = false;  ///< count(*) is asked for
};

/// The agreement of a session and its table `records` on which scans of a statement return groups.
///
/// While a statement is explained, the table makes offers, each with a number that its plan shows. The session finds
/// the plans that SQLite chose, and accepts offers or denies them. When the statement is then prepared, the table sees
/// the same calls in the same order, and its plans name the accepted scans. Used by the thread that runs the
/// statements.
class GroupedScans {
 public:
  /// The most columns that `records` has for computed columns: SQLite allows 2,000 in all.
  static constexpr size_t kMaxComputed = 8;

  /// `columns` are the table's own, whose names those of computed columns must not equal.
  explicit GroupedScans(const std::vector<Column>& columns);

  // For the session.

  /// Returns the names of the columns for computed columns. They are hidden: `*` does not include them.
  [[nodiscard]] const std::vector<std::string>& computed_names() const { return computed_names_; }
  [[nodiscard]] const std::string& computed_prefix() const { return computed_prefix_; }  ///< with which they begin

  /// Begins another statement, in which the first of these columns have the values of `computed`; the rest have none.
  /// Offers that were denied may be made again.
  void Begin(ComputedColumns computed) {
    computed_ = std::move(computed);
    denied_.clear();
  }
  [[nodiscard]] const ComputedColumns& computed() const { return computed_; }

  /// Begins an explanation: all offers are forgotten, but not which ones were denied. `plain`: as in RecordsSource.
  void Explain(bool plain);

  /// Returns the offer whose number a plan shows.
  [[nodiscard]] const GroupOffer& offer(size_t number) const { return offers_[number].offer; }

  /// Keeps the table from making an offer like this again. Returns false if it was denied already.
  [[nodiscard]] bool Deny(size_t number);
  void Accept(size_t number, GroupedScan scan) { accepted_[number] = std::move(scan); }

  /// Begins the preparation of the statement that was explained.
  void Prepare();

  /// Returns false if the table saw other calls than in the explanation.
  [[nodiscard]] bool complete() const { return same_ && seen_ == offers_.size(); }

  /// Ends it: from now on, the table neither makes offers nor promises anything.
  void Seal() {
    mode_ = Mode::kSealed;
    denied_.clear();
  }

  /// Forgets everything, when no statement is left.
  void Clear();

  // For the table.

  [[nodiscard]] bool plain() const { return plain_ && mode_ != Mode::kSealed; }

  /// Returns false if the offer was denied; `plan` is everything else that the table told about this way.
  [[nodiscard]] bool MayPromise(const GroupOffer& offer, const std::string& plan) const;

  /// Takes the offer of one call of xBestIndex. Returns the number that its plan must show, if any.
  [[nodiscard]] std::optional<uint64_t> Take(const GroupOffer& offer, const std::string& plan);

  /// Returns the accepted scan of a plan's number; null if there is none.
  [[nodiscard]] const GroupedScan* Find(uint64_t number) const;

  [[nodiscard]] ArmedGroup& armed() { return armed_; }

 private:
  enum class Mode : uint8_t { kSealed, kExplain, kPrepare };

  struct Made {
    GroupOffer offer;
    std::string plan;

    [[nodiscard]] bool operator==(const Made&) const = default;
  };

  [[nodiscard]] static std::string KeyOf(const GroupOffer& offer, const std::string& plan);

  std::string computed_prefix_;
  std::vector<std::string> computed_names_;
  ComputedColumns computed_;
  Mode mode_ = Mode::kSealed;
  bool plain_ = false;
  std::vector<Made> offers_;
  std::set<std::string> denied_;            // as KeyOf returns
  std::map<size_t, GroupedScan> accepted_;  // by number of the offer
  size_t seen_ = 0;                         // calls since Prepare()
  bool same_ = true;                        // as in the explanation, so far
  std::map<uint64_t, GroupedScan> scans_;   // of prepared statements, by number in their plans
  uint64_t next_ = 0;
  ArmedGroup armed_;
};

}  // namespace ofindex
