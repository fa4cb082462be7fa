#include "tools/prompt/statement_input.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

using EnteredStatements = std::vector<std::string>;

TEST_CASE("a semicolon ends a statement, unless it is in a string, a name or a comment") {
  StatementInput input;
  CHECK(input.Add("SELECT 1; SELECT 2;") == EnteredStatements{"SELECT 1", "SELECT 2"});
  CHECK(input.Add("SELECT ';', \"a;b\" -- ;").empty());
  CHECK(input.Add("/* ; */ FROM t").empty());
  CHECK(input.unfinished() == "SELECT ';', \"a;b\" -- ;\n/* ; */ FROM t\n");
  CHECK(input.Add("; SELECT 3") == EnteredStatements{"SELECT ';', \"a;b\" -- ;\n/* ; */ FROM t\n"});
  CHECK(input.unfinished() == " SELECT 3\n");
  input.Clear();
  CHECK(input.unfinished().empty());
  CHECK(input.Add("SELECT 4;") == EnteredStatements{"SELECT 4"});
}

TEST_CASE("semicolons, comments and whitespace alone are no statement") {
  StatementInput input;
  for (const char* line : {"", "  ", ";", ";;", "-- a comment", "/* one */ ;", "\t"}) {
    CHECK(input.Add(line).empty());
    CHECK(input.unfinished().empty());
  }
}

TEST_CASE("an entry is what was entered, on one line") {
  StatementInput input;
  CHECK(input.Add("SELECT  1 ;  -- why").size() == 1);
  CHECK(input.TakeEntry() == "SELECT  1 ;  -- why");
  CHECK(input.Add("SELECT 1, -- one").empty());
  CHECK(input.Add("    '--' /* two").empty());
  CHECK(input.Add("*/ ; SELECT  2;").size() == 2);
  CHECK(input.TakeEntry() == "SELECT 1, '--' ; SELECT  2;");
  CHECK(input.Add("SELECT 'a").empty());
  CHECK(input.Add("b';") == EnteredStatements{"SELECT 'a\nb'"});
  CHECK(input.TakeEntry().empty());
}

}  // namespace
}  // namespace ofindex
