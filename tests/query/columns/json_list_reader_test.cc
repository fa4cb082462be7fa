#include "query/columns/json_list_reader.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace ofindex {
namespace {

using JsonType = ColumnValue::Type;

std::vector<ColumnValue> ValuesOf(const std::string& json, bool& is_list) {
  std::vector<ColumnValue> values;
  JsonListReader reader(json);
  while (reader.Next()) values.push_back(reader.value());
  is_list = reader.sound();
  return values;
}

TEST_CASE("a list has its values in order, whatever whitespace is between them") {
  bool is_list = false;
  const std::vector<ColumnValue> values =
      ValuesOf(" [ -1 ,0.5,1e2,null,\"a\\u00e9\\n\\ud83d\\ude00\",{ \"base64\" : \"/w==\" } ]\n", is_list);
  CHECK(is_list);
  CHECK(values == std::vector<ColumnValue>{{.type = JsonType::kInteger, .integer = -1},
                                           {.type = JsonType::kReal, .real = 0.5},
                                           {.type = JsonType::kReal, .real = 100},
                                           {},
                                           {.type = JsonType::kText, .bytes = "a\u00e9\n\U0001f600"},
                                           {.type = JsonType::kBlob, .bytes = "\xff"}});
  CHECK(ValuesOf("[]", is_list).empty());
  CHECK(is_list);
}

TEST_CASE("numbers are spelled as in JSON") {
  const std::vector<std::pair<const char*, double>> numbers = {{"0", 0},        {"-0", 0},  {"0.5e+05", 50000},
                                                               {"1E5", 100000}, {"0e0", 0}, {"-1.25e-1", -0.125}};
  for (const auto& row : numbers) {
    CAPTURE(row.first);
    bool is_list = false;
    const std::vector<ColumnValue> values = ValuesOf(StrCat("[", row.first, "]"), is_list);
    REQUIRE((is_list && values.size() == 1));
    CHECK((values[0].type == JsonType::kReal ? values[0].real : static_cast<double>(values[0].integer)) == row.second);
  }
  for (const char* number : {".5", "-.5", "5.", "5.e1", "05", "-00.5", "+5", "1e", "1.2.3", "-", "1-2", "nan"}) {
    CAPTURE(number);
    bool is_list = true;
    static_cast<void>(ValuesOf(StrCat("[", number, "]"), is_list));
    CHECK_FALSE(is_list);
  }
}

TEST_CASE("numbers that no double holds are infinite or 0, wherever their digits are") {
  const std::string zeros(400, '0');
  const std::vector<std::pair<std::string, double>> numbers = {{"0." + zeros + "1", 0},
                                                               {"-0." + zeros + "1", 0},
                                                               {"1" + zeros, INFINITY},
                                                               {"-1" + zeros, -INFINITY},
                                                               {"1" + zeros + "e-5", INFINITY},
                                                               {"0." + zeros + "1e5", 0},
                                                               {"9e999", INFINITY},
                                                               {"-9E+999", -INFINITY},
                                                               {"9e-999", 0},
                                                               {"9e99999999999999999999", INFINITY},
                                                               {"9e-99999999999999999999", 0},
                                                               {"0e99999999999999999999", 0}};
  for (const auto& row : numbers) {
    CAPTURE(row.first);
    bool is_list = false;
    const std::vector<ColumnValue> values = ValuesOf(StrCat("[", row.first, "]"), is_list);
    REQUIRE((is_list && values.size() == 1));
    CHECK((values[0].type == JsonType::kReal && values[0].real == row.second));
  }
}

TEST_CASE("text that is not JSON, and arrays of other values, are no lists") {
  for (const char* json :
       {"", "[", "[1", "[1,]", "[1]]", "[1] 2", "1", "[\"a]", "[\"\\q\"]", "[\"\\ud800\"]", "[\"\\udc00\"]",
        "[\"a\nb\"]", "[\"\t\"]", "[{\"a\":1}]", "[{\"base64\":\"/\"}]", "[{\"base64\":\"/w==\"]", "[true]", "[[1]]"}) {
    CAPTURE(json);
    bool is_list = true;
    static_cast<void>(ValuesOf(json, is_list));
    CHECK_FALSE(is_list);
  }
}

}  // namespace
}  // namespace ofindex
