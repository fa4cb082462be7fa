#include <algorithm>
#include <utility>

#include <ofindex/query.h>

#include "library/convert.h"
#include "library/internals.h"
#include "query/sampling/sets/set_of.h"
#include "query/sql/sql_session.h"
#include "query/sql/where.h"

namespace ofindex::v1 {

struct SqlSession::State {
  std::shared_ptr<const OpenedDataset> dataset;  // outlives the session
  ofindex::SqlSession session;
};

struct SqlRows::State {
  SqlSession session;  // outlives the rows
  ofindex::SqlRows rows;
};

Selection::Selection() : state_(std::make_shared<const State>()) {}
Selection::Selection(std::shared_ptr<const State> state) : state_(std::move(state)) {}
Selection::Selection(const Selection&) = default;
Selection& Selection::operator=(const Selection&) = default;
Selection::~Selection() = default;

Selection Selection::Range(uint64_t begin, uint64_t end) {
  return Internals::SelectionOf(ofindex::View::Range(begin, std::min(end, OrdinalSet::kEnd)));
}

uint64_t Selection::size() const { return state_->view.size(); }
uint64_t Selection::operator[](uint64_t i) const { return state_->view.At(i); }
bool Selection::Contains(uint64_t ordinal) const { return state_->view.IndexOf(ordinal).has_value(); }

Selection Selection::Slice(uint64_t begin, uint64_t end) const {
  end = std::min(end, size());
  return Internals::SelectionOf(state_->view.Slice(std::min(begin, end), end));
}

std::vector<uint64_t> Selection::Ordinals() const {
  std::vector<uint64_t> ordinals(size());
  for (uint64_t i = 0; i < ordinals.size(); ++i) ordinals[i] = i;
  state_->view.Map(ordinals);
  return ordinals;
}

Result<Selection> Where(const Dataset& dataset, std::string_view expression,
                        const std::vector<SqlParameter>& parameters, const QueryLimits& limits) {
  return Attempt([&]() -> ofindex::Result<Selection> {
    OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> columns, Internals::Of(dataset)->Columns());
    SqlLimits taken = Engine(limits);
    taken.rows.reset();
    OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, Internals::Of(dataset)->Catalog());
    OFINDEX_ASSIGN(const ofindex::Selection found, Where(columns, expression, Engine(parameters), taken, catalog));
    return Internals::SelectionOf(ofindex::View::Of(SetOf(found)));
  });
}

SqlRows::SqlRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqlRows::SqlRows(SqlRows&& other) noexcept = default;
SqlRows& SqlRows::operator=(SqlRows&& other) noexcept = default;
SqlRows::~SqlRows() = default;

const std::vector<std::string>& SqlRows::columns() const {
  static const std::vector<std::string> none;
  return state_ ? state_->rows.columns() : none;
}

Result<bool> SqlRows::Next() {
  if (!state_) return Misuse("these rows were moved from");
  return Attempt([&] { return state_->rows.Next(); });
}

SqlValue SqlRows::At(size_t column) const { return Public(state_->rows.At(column)); }

bool SqlRows::truncated() const { return state_ && state_->rows.truncated(); }

SqlSession::SqlSession(std::shared_ptr<State> state) : state_(std::move(state)) {}
SqlSession::SqlSession(const SqlSession&) = default;
SqlSession& SqlSession::operator=(const SqlSession&) = default;
SqlSession::~SqlSession() = default;

Result<SqlSession> SqlSession::Open(const Dataset& dataset) {
  return Attempt([&]() -> ofindex::Result<SqlSession> {
    OFINDEX_ASSIGN(ofindex::SqlSession session, Internals::Of(dataset)->OpenSession());
    return SqlSession(std::make_shared<State>(State{Internals::Of(dataset), std::move(session)}));
  });
}

Result<SqlRows> SqlSession::Query(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                  const QueryLimits& limits) const {
  return Attempt([&]() -> ofindex::Result<SqlRows> {
    OFINDEX_ASSIGN(ofindex::SqlRows rows, state_->session.Query(sql, Engine(parameters), Engine(limits)));
    return SqlRows(std::make_unique<SqlRows::State>(SqlRows::State{*this, std::move(rows)}));
  });
}

}  // namespace ofindex::v1
