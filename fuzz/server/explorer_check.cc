#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/input.h"
#include "fuzz/server/server_checks.h"
#include "tools/http/reply.h"
#include "tools/http/target.h"
#include "tools/serve/explorer.h"
#include "tools/shell/json.h"

namespace ofindex {
namespace {

constexpr size_t kMostAnswered = 16 << 20;

const std::vector<Route>& ExplorerRoutes() {
  static std::unique_ptr<Explorer> explorer;
  static const std::vector<Route> routes = [] {
    Progress progress;
    auto opened = Explorer::Open({SmallDataset::Get().index()}, {.threads = 1}, progress);
    Expect(opened.has_value(), "the explorer cannot be opened: ", opened ? "" : opened.error().message);
    explorer = std::move(*opened);
    return explorer->Routes();
  }();
  return routes;
}

void CheckAnswer(const Request& request, const Response& response) {
  Expect(response.status >= 200 && response.status < 600, "status ", response.status);
  Expect(response.body.size() <= kMostAnswered, "an answer of ", response.body.size(), " bytes");
  Expect(response.status != 500, "an internal error: ", response.body);
  if (response.type == "application/json") {
    const Json document = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
    Expect(!document.is_discarded(), "an answer is not JSON: ", response.body);
    if (response.status >= 400) Expect(document.contains("error"), "an error that says nothing: ", response.body);
  }
  const Reply reply = MakeReply(request, response, {});
  Expect(Fits(reply.begin, reply.size, reply.body.size()), "a reply outside its body");
  const std::string head = reply.head.substr(0, reply.head.find("\r\n\r\n"));
  Expect(head.size() + 4 == reply.head.size(), "a header that ends early");
}

}  // namespace

// The first byte chooses the path; the first line is the query of the URL, or the whole target; the rest is the body.
void CheckExplorer(ByteView bytes) {
  FuzzInput input(bytes);
  const std::vector<Route>& routes = ExplorerRoutes();
  const Route& route = routes[input.Below(routes.size())];
  const std::string rest = input.Text();
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::optional<Target> target = ParseTarget(StrCat(route.path, "?", rest.substr(0, end)));
  if (!target) return;
  const std::optional<Target> again = ParseTarget(StrCat(target->path, "?", QueryOf(target->parameters)));
  Expect(again && again->path == target->path && again->parameters == target->parameters,
         "parameters that were written are read otherwise");
  Request request{.method = route.method, .path = target->path, .parameters = target->parameters};
  if (route.method == Method::kPost) request.body = rest.substr(std::min(end + 1, rest.size()));
  CheckAnswer(request, route.handler(request));
}

}  // namespace ofindex
