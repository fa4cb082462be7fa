#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/aggregates/computed_column.h"
#include "query/columns/column_store.h"
#include "query/sql/program.h"
#include "query/sql/sql_session.h"
#include "query/sql/statements/computed_terms.h"
#include "query/sql/statements/group_loop.h"
#include "query/tables/groups/grouped_scans.h"

namespace ofindex {

/// Runs statements that group the records of an index, or count, sum or compare them all: kernels compute the groups,
/// and SQLite gets a few rows for each. The results are those of an ordinary session, to the last bit, in the same
/// order.
///
/// SQLite compiles the statement; its program shows which scans of `records` only feed aggregate functions. A statement
/// without such a scan is left to the ordinary session. Not thread-safe.
class GroupedStatements {
 public:
  /// Opens a session for such statements on the tables that `add` registers, named in `tables`. One of them is that of
  /// `store`, which `add` must register with the scans that it receives. Errors: those of SqlSession::Open.
  using AddTables = std::function<Result<void>(sqlite3*, const WorkLimits&, const std::shared_ptr<GroupedScans>&)>;
  [[nodiscard]] static Result<std::unique_ptr<GroupedStatements>> Open(const std::shared_ptr<ColumnStore>& store,
                                                                       const AddTables& add,
                                                                       std::vector<std::string> tables);

  /// Runs `sql` as SqlSession::Query does. Returns nothing if no scan can return groups, or if the statement is wrong:
  /// the ordinary session knows why. Errors: kLimit if the time ran out; kInterrupted if the statement was cancelled.
  [[nodiscard]] Result<std::optional<SqlRows>> Query(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                                     const SqlLimits& limits);

 private:
  GroupedStatements(std::shared_ptr<ColumnStore> store, std::shared_ptr<GroupedScans> scans, SqlSession session)
      : store_(std::move(store)), scans_(std::move(scans)), session_(std::move(session)) {}

  [[nodiscard]] Result<std::optional<SqlRows>> Run(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                                   const SqlLimits& limits);
  [[nodiscard]] Result<std::optional<SqlRows>> QueryComputed(std::string_view sql,
                                                             const std::vector<SqlParameter>& parameters,
                                                             const SqlLimits& limits);
  [[nodiscard]] std::shared_ptr<const ComputedColumn> Compile(const ComputedTerms::Expression& expression,
                                                              const SqlLimits& limits);
  [[nodiscard]] Result<bool> Plan(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                  const SqlLimits& limits);
  [[nodiscard]] Result<std::vector<Instruction>> Explain(std::string_view sql, bool plain,
                                                         const std::vector<SqlParameter>& parameters,
                                                         const SqlLimits& limits);
  [[nodiscard]] bool AcceptScans(const std::vector<Instruction>& program, bool& denied);
  [[nodiscard]] std::optional<GroupedScan> ScanFor(const GroupLoop& loop, const GroupOffer& offer) const;
  [[nodiscard]] bool Exist(const GroupLoop& loop, const GroupRequest& request) const;
  [[nodiscard]] bool IsList(uint32_t column) const;
  [[nodiscard]] bool CanSum(uint32_t column) const;
  [[nodiscard]] bool LooksAlike(uint32_t column) const;

  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<GroupedScans> scans_;
  SqlSession session_;
};

}  // namespace ofindex
