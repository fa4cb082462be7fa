#include "query/columns/json_list_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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

TEST_CASE("numbers, strings and lists that JSON does not have are none") {
  for (const char* json : {"",
                           "[",
                           "[1",
                           "[1,]",
                           "[1]]",
                           "[1] 2",
                           "1",
                           "[.5]",
                           "[-.5]",
                           "[5.]",
                           "[5.e1]",
                           "[05]",
                           "[-00.5]",
                           "[+5]",
                           "[1e]",
                           "[-]",
                           "[1-2]",
                           "[nan]",
                           "[\"a]",
                           "[\"\\q\"]",
                           "[\"\\ud800\"]",
                           "[\"\\udc00\"]",
                           "[\"a\nb\"]",
                           "[\"\t\"]",
                           "[{\"a\":1}]",
                           "[{\"base64\":\"/\"}]",
                           "[{\"base64\":\"/w==\"]",
                           "[true]",
                           "[[1]]"}) {
    CAPTURE(json);
    bool is_list = true;
    static_cast<void>(ValuesOf(json, is_list));
    CHECK_FALSE(is_list);
  }
}

}  // namespace
}  // namespace ofindex
