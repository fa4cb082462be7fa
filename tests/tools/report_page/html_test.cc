#include "tools/report_page/html.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace ofindex {
namespace {

using namespace std::string_view_literals;

std::string PageText(std::string_view text) {
  std::string out;
  Html html([&out](std::string_view piece) -> Result<void> {
    out += piece;
    return {};
  });
  html.Open("b", {{"title", text}}).Text(text);
  REQUIRE(html.Finish());
  return out;
}

TEST_CASE("texts and attributes are escaped") {
  CHECK(PageText("a & b") == R"(<b title="a &amp; b">a &amp; b</b>)");
  CHECK(PageText("</b><script>") == R"(<b title="&lt;/b&gt;&lt;script&gt;">&lt;/b&gt;&lt;script&gt;</b>)");
  CHECK(PageText("\" onload='x'") == R"(<b title="&quot; onload=&#39;x&#39;">&quot; onload=&#39;x&#39;</b>)");
}

TEST_CASE("characters that a page must not contain are shown as numbers") {
  CHECK(AllowedText("caf\xc3\xa9 \xf0\x9f\x8c\xb1") == "caf\xc3\xa9 \xf0\x9f\x8c\xb1");
  CHECK(AllowedText("a\0b\x1b[1m\n\t\x7f"sv) == "a\\x00b\\x1b[1m\\n\\t\\x7f");
  CHECK(AllowedText("\xff\xc3") == "\\xff\\xc3");
  CHECK(AllowedText("\xe2\x82") == "\\xe2\\x82");           // cut off
  CHECK(AllowedText("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(AllowedText("\xc0\xbc") == "\\xc0\\xbc");           // '<', too long
  CHECK(AllowedText("\xc2\x85") == "\\u0085");              // a control character
  CHECK(AllowedText("a\xe2\x80\xae"
                    "b") == "a\\u202Eb");  // turns the direction
  CHECK(AllowedText("\xe2\x81\xa6\xd8\x9c") == "\\u2066\\u061C");
  CHECK(AllowedText("\xef\xbf\xbe\xf4\x8f\xbf\xbf") == "\\uFFFE\\u10FFFF");  // noncharacters
  CHECK(AllowedText("\xef\xb7\x90") == "\\uFDD0");
}

TEST_CASE("elements are closed in order, and at the end all of them") {
  std::string out;
  Html html([&out](std::string_view piece) -> Result<void> {
    out += piece;
    return {};
  });
  html.Open("a").Open("b").Text("1").Close().Element("code", "2");
  CHECK(html.depth() == 1);
  html.Void("wbr").Open("span");
  REQUIRE(html.Finish());
  CHECK(out == "<a><b>1</b><code>2</code><wbr><span></span></a>");
  CHECK(html.depth() == 0);
  html.Close();
  REQUIRE(html.Finish());
  CHECK(out.ends_with("</a>"));
}

TEST_CASE("the first error of the sink is kept, and ends the writing") {
  int calls = 0;
  Html html([&calls](std::string_view) -> Result<void> {
    ++calls;
    return Fail(ErrorCode::kIo, "disk full", "");
  });
  const std::string text(100'000, 'x');
  for (int i = 0; i < 5; ++i) html.Element("p", text);
  CHECK_FALSE(html.written());
  const Result<void> finished = html.Finish();
  REQUIRE_FALSE(finished);
  CHECK(finished.error().message == "disk full");
  CHECK(calls == 1);
}

}  // namespace
}  // namespace ofindex
