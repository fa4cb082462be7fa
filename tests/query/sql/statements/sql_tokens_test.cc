#include "query/sql/statements/sql_tokens.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

// Returns each token as its kind and text: "w:select".
std::vector<std::string> Tokens(std::string_view sql) {
  std::vector<std::string> all;
  for (const SqlToken& token : TokensOf(sql)) {
    all.push_back(std::string("wnd.l").substr(static_cast<size_t>(token.kind), 1) + ":" + token.text);
  }
  return all;
}

TEST_CASE("statements are divided into tokens where SQLite divides them") {
  using List = std::vector<std::string>;
  struct Row {
    std::string sql;
    List tokens;
  };
  const std::vector<Row> rows = {
      {"", {}},
      {"SELECT a.B1$", {"w:select", "w:a", ".:.", "w:b1$"}},   // words in lower case
      {"\"a\"\"b\" [c]]\"d", {"n:a\"b", "n:c", ".:]", "n:"}},  // names; the last one is not closed
      {"`x``y`", {"n:x`y"}},                                   //
      {"'it''s' x'00'", {"l:'it''s'", "w:x", "l:'00'"}},       // strings as written
      {"1 2.5 .5e-3 0x1F 1e+", {"d:1", "d:2.5", "d:.5e-3", "d:0x1F", "d:1e", ".:+"}},  // numbers without signs
      {"?1 :a @b $c", {"l:?1", "l::a", "l:@b", "l:$c"}},                               // parameters
      {"a--b\n-/*-*/c", {"w:a", ".:-", "w:c"}},                                        // comments
      {"a||b", {"w:a", ".:|", ".:|", "w:b"}},                                          // one character each
      {"\xc3\xa9t\xc3\xa9", {"w:\xc3\xa9t\xc3\xa9"}},                                  // letters outside ASCII
      {"\xef\xbb\xbf"
       "a\xef\xbb\xbf",
       {"w:a\xef\xbb\xbf"}},  // a byte order mark is a space before a token
      {"1a", {"d:1a"}},       // which SQLite refuses
  };
  for (const Row& row : rows) CHECK_MESSAGE(Tokens(row.sql) == row.tokens, row.sql);
}

TEST_CASE("tokens know in how many parentheses they are") {
  const std::vector<SqlToken> tokens = TokensOf("a (b (c) d) e)");
  std::vector<int> depths;
  for (const SqlToken& token : tokens) depths.push_back(token.depth);
  CHECK(depths == std::vector<int>{0, 0, 1, 1, 2, 1, 1, 0, 0, -1});
}

TEST_CASE("tokens of any bytes lie within the statement, in order") {
  std::string sql = "SELECT \"a\" + [b] * 'c' /* d */ - 1.5e3 -- e\n FROM `f` WHERE ?1 = x'00'";
  for (size_t cut = 0; cut <= sql.size(); ++cut) {
    size_t end = 0;
    for (const SqlToken& token : TokensOf(std::string_view(sql).substr(0, cut))) {
      CHECK(token.begin >= end);
      CHECK(token.end > token.begin);
      end = token.end;
    }
    CHECK(end <= cut);
  }
}

TEST_CASE("an expression may read a table if it has the name as a whole, after SELECT or IN") {
  const std::vector<std::string_view> tables = {"bad", "damage", "features"};
  for (const char* const sql : {"_id IN (SELECT record FROM bad)", "_id in Bad", "EXISTS (SELECT 1 FROM \"DAMAGE\")",
                                "1 = (SELECT count(*) FROM main.[features])", "_id IN (SELECT record FROM/**/bad)"}) {
    CHECK_MESSAGE(MayReadTable(TokensOf(sql), tables), sql);
  }
  for (const char* const sql : {"badge = 3", "damage_level > 1", "\"features/x\" IS NULL", "bad = 1", "label IN (1, 2)",
                                "label IN ('bad', 'good')", "x = (SELECT max(badge) FROM records) -- bad", ""}) {
    CHECK_FALSE_MESSAGE(MayReadTable(TokensOf(sql), tables), sql);
  }
}

}  // namespace
}  // namespace ofindex
