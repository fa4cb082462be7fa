// Measures the answers of `ofindex serve`: `ofindex_serve_bench RECORDS` on six columns that are made on the fly.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/crossfilter/columns_on_the_fly.h"
#include "tools/serve/explorer.h"

namespace ofindex {
namespace {

class Page {
 public:
  explicit Page(uint64_t records) {
    const ServeOptions options;
    auto store = std::make_shared<ColumnStore>(std::make_unique<ColumnsOnTheFly>(records),
                                               ColumnStoreOptions{.cache_bytes = options.chunk_bytes});
    auto opened = Explorer::Over(std::make_unique<ServedDataset>(nullptr, std::move(store), nullptr, options));
    if (!opened) std::exit(1);
    explorer_ = std::move(*opened);
    for (uint64_t f = 0; f < kFeatures; ++f) columns_.emplace_back("column", StrCat("feature", f));
  }

  void Run() {
    Show("charts of six columns", {Ask("/api/charts", "", "")});
    Show("first counts, estimated", {Ask("/api/counts", "", "1")});
    Show("first counts, exact: makes all codes", {Ask("/api/counts", "", "0")});
    std::vector<double> exact, estimated, pages;
    for (int begin = 0; begin < 40; begin += 2) {
      const std::string filter = StrCat(R"({"ranges": {"feature2": [)", begin * 500, ", ", begin * 500 + 5000,
                                        R"(], "feature3": [0, 100]}, "values": {"feature5": ["class 1", "class 2"]}})");
      estimated.push_back(Ask("/api/counts", filter, "1"));
      exact.push_back(Ask("/api/counts", filter, "0"));
      pages.push_back(Ask("/api/locate", filter, ""));
    }
    Show("drag with two other filters, estimated", estimated);
    Show("drag with two other filters, exact", exact);
    Show("the records that pass, to page through", pages);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%-40s %ld MiB\n", "peak memory", usage.ru_maxrss / 1024);
  }

 private:
  // Returns the milliseconds of an answer.
  double Ask(const std::string& path, const std::string& filter, const std::string& estimate) {
    Request request{.path = path};
    if (path != "/api/locate") request.parameters = columns_;
    if (!filter.empty()) request.parameters.emplace_back("filter", filter);
    if (!estimate.empty()) request.parameters.emplace_back("estimate", estimate);
    const std::vector<Route> routes = explorer_->Routes();
    const auto route = std::find_if(routes.begin(), routes.end(), [&](const Route& one) { return one.path == path; });
    const auto begin = std::chrono::steady_clock::now();
    const Response response = route->handler(request);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    if (response.status != 200) std::printf("%s\n", response.body.c_str());
    return taken.count();
  }

  static void Show(const char* name, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    std::printf("%-40s %8.1f ms, at most %8.1f ms\n", name, times[times.size() / 2], times.back());
  }

  std::unique_ptr<Explorer> explorer_;
  std::vector<std::pair<std::string, std::string>> columns_;
};

}  // namespace
}  // namespace ofindex

int main(int argc, char** argv) {
  const uint64_t records = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (records == 0) {
    std::fprintf(stderr, "usage: ofindex_serve_bench RECORDS\n");
    return 2;
  }
  ofindex::Page(records).Run();
  return 0;
}
