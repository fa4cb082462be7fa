#include "tools/options/statement_notes.h"

#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "query/sql/statements/quoted_columns.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/tables/catalog_tables.h"
#include "query/tables/values/table_module.h"
#include "tools/shell/messages.h"

namespace ofindex {
namespace {

using Notes = std::vector<std::string>;

constexpr std::string_view kRecords = "records";

void NoteQuotes(std::string_view sql, const std::vector<std::string>& columns, Notes& notes) {
  for (const std::string& column : ColumnsInSingleQuotes(sql, columns)) {
    notes.push_back(StrCat("note: '", Printable(column), "' in single quotes is text; the column is ",
                           Printable(QuotedName(column))));
  }
}

// Returns `column` as a statement that names the table `records` names it.
std::string NameIn(const std::string& records, const std::string& column) {
  return records == kRecords ? column : StrCat(records, ".", column);
}

// Notes each column of those `read` that is NULL in records with several values, unless their number is read, too.
// `records` is how a statement names the table.
void NoteHiddenLists(const std::vector<FeatureRow>& features, const std::set<std::string>& read,
                     const std::string& records, Notes& notes) {
  for (const FeatureRow& row : features) {
    if (!ReadsListsAsNull(row) || !read.contains(MainColumn(row)) || read.contains(row.sql_count)) continue;
    notes.push_back(StrCat("note: ", Printable(NameIn(records, MainColumn(row))),
                           " is NULL in records with several values, too; ",
                           Printable(NameIn(records, QuotedName(row.sql_count))), " > 1 finds them"));
  }
}

// The same for a column of hashes that are not stored.
void NoteNoHashes(const ColumnStore& store, const std::set<std::string>& read, const std::string& records,
                  Notes& notes) {
  if (store.has_hashes()) return;
  for (const Column& column : store.columns()) {
    if (column.origin != Column::Origin::kHash || !read.contains(column.name)) continue;
    notes.push_back(StrCat(
        "note: ", NameIn(records, column.name),
        " is NULL in every record, since the index stores no hashes; `ofindex build DATA --verify` stores them"));
  }
}

void NoteColumns(const SqlSession::Index& index, const ColumnsRead& read, Notes& notes) {
  const auto found = read.find(index.records);
  if (found == read.end()) return;
  NoteHiddenLists(index.columns->features(), found->second, index.records, notes);
  NoteNoHashes(*index.columns, found->second, index.records, notes);
}

// Notes the tables that `sql` names without an index, if each index of the session has a name.
void NoteTablesOfFirst(std::string_view sql, const std::vector<SqlSession::Index>& indexes, Notes& notes) {
  if (indexes.size() < 2 || indexes.front().records == kRecords) return;
  std::vector<std::string_view> tables(std::begin(kCatalogTables), std::end(kCatalogTables));
  tables.insert(tables.begin(), kRecords);
  const auto schema = [](const SqlSession::Index& index) { return index.records.substr(0, index.records.find('.')); };
  for (const std::string& table : UnqualifiedTables(TokensOf(sql), tables)) {
    notes.push_back(StrCat("note: ", table, " is ", schema(indexes[0]), ".", table, ", of the first index; ",
                           schema(indexes[1]), ".", table, " is that of the next"));
  }
}

}  // namespace

void NoteOnExpression(std::string_view expression, const std::shared_ptr<ColumnStore>& store, const ColumnsRead& read,
                      const Context& context) {
  std::vector<std::string> columns;
  for (const Column& column : store->columns()) columns.push_back(column.name);
  Notes notes;
  NoteQuotes(expression, columns, notes);
  NoteColumns({std::string(kRecords), store}, read, notes);
  PrintNotes(notes, context);
}

void NoteOnStatement(std::string_view sql, SqlSession& session, const Context& context) {
  std::vector<std::string> columns;
  for (const SqlTable& table : session.tables()) {
    for (const SqlTable::Column& column : table.columns) columns.push_back(column.name);
  }
  Notes notes;
  NoteQuotes(sql, columns, notes);
  NoteTablesOfFirst(sql, session.indexes(), notes);
  if (const Result<ColumnsRead> read = session.ColumnsReadBy(sql)) {
    for (const SqlSession::Index& index : session.indexes()) NoteColumns(index, *read, notes);
  }
  PrintNotes(notes, context);
}

}  // namespace ofindex
