#include "tools/prompt/sql_completion.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ofindex {
namespace {

using CandidateList = std::vector<std::string>;

const std::vector<SqlTable> kTables = {
    {"records",
     {{"_id", ""}, {"image/class/label", ""}, {"image/height", ""}, {"order", ""}, {"Name", ""}, {"a\"b", ""}}},
    {"odd table", {{"x", ""}}},
};

// Returns the candidates after "|" in `sql`, where the word begins; the cursor is at the end.
CandidateList CandidatesAt(const std::string& marked) {
  const size_t mark = marked.find('|');
  const std::string sql = marked.substr(0, mark) + marked.substr(mark + 1);
  const WordCompletion completion = CompleteSql(sql, kTables);
  CHECK((completion.candidates.empty() || completion.begin == mark));
  return completion.candidates;
}

TEST_CASE("keywords complete in the case of what was entered, functions with their parenthesis") {
  CHECK(CandidatesAt("|sel") == CandidateList{"select"});
  CHECK(CandidatesAt("|SEL") == CandidateList{"SELECT"});
  CHECK(CandidatesAt("SELECT |upp") == CandidateList{"upper("});
  CHECK(CandidatesAt("SELECT 1 |LIM") == CandidateList{"LIMIT"});
}

TEST_CASE("columns complete with the quotes that they need, however they are entered") {
  CHECK(CandidatesAt("SELECT |image/h") == CandidateList{"\"image/height\""});
  CHECK(CandidatesAt("SELECT |\"image/") == CandidateList{"\"image/class/label\"", "\"image/height\""});
  CHECK(CandidatesAt("SELECT |\"IMAGE/C") == CandidateList{"\"image/class/label\""});
  CHECK(CandidatesAt("SELECT |na") == CandidateList{"Name", "natural"});
  CHECK(CandidatesAt("SELECT |\"ord") == CandidateList{"\"order\""});
  CHECK(CandidatesAt("SELECT |\"a") == CandidateList{"\"a\"\"b\""});
  CHECK(CandidatesAt("SELECT _id/|na") == CandidateList{"Name", "natural"});  // no name begins with _id/na
}

TEST_CASE("after FROM and JOIN there are tables, after a dot the columns of a table") {
  CHECK(CandidatesAt("SELECT * FROM |") == CandidateList{"\"odd table\"", "records"});
  CHECK(CandidatesAt("SELECT * FROM records JOIN |o") == CandidateList{"\"odd table\""});
  CHECK(CandidatesAt("SELECT * FROM |\"o") == CandidateList{"\"odd table\""});
  CHECK(CandidatesAt("SELECT records.|_") == CandidateList{"_id"});
  CHECK(CandidatesAt("SELECT \"odd table\".|") == CandidateList{"x"});
}

TEST_CASE("columns come before tables and words, and those of the first table before others") {
  const std::vector<SqlTable> tables = {{"records", {{"_id", ""}, {"size", ""}, {"path", ""}}},
                                        {"features", {{"name", ""}, {"path", ""}}}};
  const CandidateList all = {"_id", "path", "size", "name", "features", "records"};
  CHECK(CompleteSql("SELECT ", tables).candidates == all);
  CHECK(CompleteSql("SELECT p", tables).candidates.front() == "path");
}

TEST_CASE("tables of another index complete with their schema, and it is quoted apart from them") {
  const std::vector<SqlTable> tables = {{"records", {{"own", ""}}},
                                        {"shards", {{"path", ""}}},
                                        {"b.records", {{"other", ""}}},
                                        {"b.shards", {{"path", ""}}},
                                        {"order.records", {{"third", ""}}}};
  const auto at = [&](const std::string& marked) {
    const size_t mark = marked.find('|');
    const WordCompletion completion = CompleteSql(marked.substr(0, mark) + marked.substr(mark + 1), tables);
    CHECK((completion.candidates.empty() || completion.begin == mark));
    return completion.candidates;
  };
  CHECK(at("SELECT * FROM |") == CandidateList{"\"order\".records", "b.records", "b.shards", "records", "shards"});
  CHECK(at("SELECT * FROM |b") == CandidateList{"b.records", "b.shards"});
  CHECK(at("SELECT * FROM b.|") == CandidateList{"records", "shards"});
  CHECK(at("SELECT * FROM B.|re") == CandidateList{"records"});
  CHECK(at("SELECT * FROM b.|\"re") == CandidateList{"\"records\""});
  CHECK(at("SELECT * FROM |\"b").empty());  // no table is called so: b.records is two names
  CHECK(at("SELECT * FROM |\"rec") == CandidateList{"\"records\""});
  CHECK(at("SELECT * FROM \"b\".|\"s") == CandidateList{"\"shards\""});
  CHECK(at("SELECT b.records.|") == CandidateList{"other"});
  CHECK(at("SELECT records.|") == CandidateList{"own"});
  CHECK(at("SELECT \"order\".records.|") == CandidateList{"third"});
  const std::vector<SqlTable> named = {{"b.records", {}}, {"b.bad", {}}};
  CHECK(CompleteSql("SELECT * FROM \"rec", named).candidates == CandidateList{"\"records\""});
  CHECK(CompleteSql("SELECT * FROM \"b", named).candidates == CandidateList{"\"bad\""});
  CHECK(SqlTableText(tables[2]) == "b.records");
  CHECK(SqlTableText(tables[4]) == "\"order\".records");
  CHECK(SqlTableText({"odd table", {}}) == "\"odd table\"");
}

TEST_CASE("nothing completes in a string, or where nothing fits") {
  for (const char* sql : {"SELECT 'sel|", "SELECT 'it''s sel|", "SELECT `sel|", "SELECT zzz|", "SELECT \"zzz|", "|"}) {
    const std::string text = sql;
    CHECK(CompleteSql(text.substr(0, text.find('|')), kTables).candidates.empty());
  }
}

TEST_CASE("a name is quoted unless it is a plain word") {
  CHECK(SqlNameText("name_2") == "name_2");
  CHECK(SqlNameText("é") == "é");
  for (const char* name : {"", "2d", "a b", "a/b", "Order", "select", "a\"b", "a-b", "x[]", "$x"}) {
    CHECK(SqlNameText(name).front() == '"');
  }
}

}  // namespace
}  // namespace ofindex
