#include "tools/serve/explorer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "tools/serve/answerers.h"
#include "tools/serve/requests/answers.h"

namespace ofindex {
namespace {

struct AnsweredPath {
  Method method;
  std::string_view path;
  Answerer answer;
};

constexpr std::array kAnsweredPaths{
    AnsweredPath{Method::kGet, "/api/dataset", AnswerDataset},
    AnsweredPath{Method::kGet, "/api/charts", AnswerCharts},
    AnsweredPath{Method::kGet, "/api/counts", AnswerCounts},
    AnsweredPath{Method::kGet, "/api/records", AnswerRecords},
    AnsweredPath{Method::kGet, "/api/record", AnswerRecord},
    AnsweredPath{Method::kGet, "/api/locate", AnswerLocate},
    AnsweredPath{Method::kGet, "/api/value", AnswerValue},
    AnsweredPath{Method::kGet, "/api/numbers", AnswerNumbers},
    AnsweredPath{Method::kGet, "/api/find", AnswerFind},
    AnsweredPath{Method::kGet, "/api/wire", AnswerWire},
    AnsweredPath{Method::kPost, "/api/sql", AnswerSql},
    AnsweredPath{Method::kGet, "/api/sampler", AnswerSampler},
    AnsweredPath{Method::kGet, "/api/shards", AnswerShards},
};

// Takes the parameter `dataset` out of a request.
Result<size_t> TakeDataset(size_t datasets, Request& request) {
  size_t number = 0;
  const auto given = std::find_if(request.parameters.begin(), request.parameters.end(),
                                  [](const auto& parameter) { return parameter.first == "dataset"; });
  if (given == request.parameters.end()) return number;
  const std::string text = given->second;
  request.parameters.erase(given);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && stop == text.data() + text.size() && number < datasets) return number;
  return Fail(ErrorCode::kUsage,
              StrCat("parameter 'dataset': expected a number less than ", datasets, ", got '",
                     Printable(text.substr(0, 60)), "'"),
              "datasets are numbered from 0, in the order of the command line");
}

Result<Response> AnswerOf(Answerer answer, Request request, Exploration& shared) {
  return WithMemory("an answer", [&]() -> Result<Response> {
    OFINDEX_ASSIGN(const size_t number, TakeDataset(shared.datasets.size(), request));
    return answer({.request = request, .dataset = *shared.datasets[number], .shared = shared});
  });
}

}  // namespace

Result<std::unique_ptr<Explorer>> Explorer::Open(const std::vector<std::string>& names, const ServeOptions& options,
                                                 const Progress& progress) {
  OFINDEX_ASSIGN(std::unique_ptr<OpenQuestions> questions, OpenQuestions::Start());
  std::unique_ptr<Explorer> explorer(new Explorer(std::move(questions)));
  for (const std::string& name : names) {
    OFINDEX_ASSIGN(auto dataset, ServedDataset::Open(name, options.SharedBy(names.size()), progress));
    explorer->shared_.datasets.push_back(std::move(dataset));
  }
  return explorer;
}

Result<std::unique_ptr<Explorer>> Explorer::Over(std::unique_ptr<ServedDataset> dataset) {
  OFINDEX_ASSIGN(std::unique_ptr<OpenQuestions> questions, OpenQuestions::Start());
  std::unique_ptr<Explorer> explorer(new Explorer(std::move(questions)));
  explorer->shared_.datasets.push_back(std::move(dataset));
  return explorer;
}

Response Explorer::Datasets() const {
  Json datasets = Json::array();
  for (size_t i = 0; i < shared_.datasets.size(); ++i) {
    datasets.push_back({{"number", i}, {"index", JsonText(shared_.datasets[i]->dataset().index_path())}});
  }
  return JsonAnswer({{"datasets", std::move(datasets)}});
}

std::vector<Route> Explorer::Routes() {
  std::vector<Route> routes;
  routes.push_back({.path = "/api/datasets", .handler = [this](const Request&) { return Datasets(); }});
  for (const AnsweredPath& path : kAnsweredPaths) {
    const auto handler = [this, answer = path.answer](const Request& request) {
      Result<Response> response = AnswerOf(answer, request, shared_);
      return response ? std::move(*response) : ErrorAnswer(response.error());
    };
    routes.push_back({.method = path.method, .path = std::string(path.path), .handler = handler});
  }
  return routes;
}

}  // namespace ofindex
