#include "tools/serve/explorer.h"

#include <atomic>
#include <cmath>
#include <functional>
#include <set>
#include <thread>

#include "tests/tools/serve/served_records.h"

namespace ofindex {
namespace {

using Served = ServedRecords;

std::vector<uint64_t> OrdinalsOf(const Json& records) {
  std::vector<uint64_t> ordinals;
  for (const Json& record : records) ordinals.push_back(record["ordinal"].get<uint64_t>());
  return ordinals;
}

std::vector<uint64_t> RecordsWith(const std::function<bool(uint64_t)>& holds) {
  std::vector<uint64_t> ordinals;
  for (uint64_t r = 0; r < Served::kRecords; ++r) {
    if (holds(r)) ordinals.push_back(r);
  }
  return ordinals;
}

const Json& Called(const Json& list, const std::string& name) {
  for (const Json& one : list) {
    if (one["name"] == name) return one;
  }
  FAIL("nothing is called ", name);
  return list;
}

std::string HeaderOf(const Response& response, const std::string& name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) return value;
  }
  return "";
}

uint64_t SumOf(const Json& counts) {
  uint64_t sum = counts["others"].get<uint64_t>() + counts["nulls"].get<uint64_t>() + counts["nans"].get<uint64_t>();
  for (const Json& bin : counts["bins"]) sum += bin.get<uint64_t>();
  return sum;
}

TEST_CASE("a dataset is described with its columns, their charts, and its features") {
  const Served served;
  const Json dataset = served.Get("/api/dataset", {});
  CHECK(dataset["schema"] == "ofindex.dataset/1");
  CHECK(dataset["records"] == Served::kRecords);
  CHECK(dataset["shards"] == 2);
  CHECK(dataset["damaged"] == 0);
  CHECK(dataset["replaced"] == false);
  CHECK(Called(dataset["columns"], "label")["chart"] == "bars");
  CHECK(Called(dataset["columns"], "label")["nulls"] == 0);
  CHECK(Called(dataset["columns"], "score")["chart"] == "histogram");
  CHECK(Called(dataset["columns"], "kind")["chart"] == "bars");
  CHECK(Called(dataset["columns"], "_length")["origin"] == "record");
  CHECK(Called(dataset["columns"], "wave#count")["origin"] == "length");
  CHECK(Called(dataset["features"], "image")["kind"] == "bytes");
  CHECK(Called(dataset["features"], "wave")["max_count"] == 3);
}

TEST_CASE("charts have nice edges, or the values of a column with few") {
  const Served served;
  const Json charts =
      served.Get("/api/charts", {{"column", "label"}, {"column", "score"}, {"column", "kind"}})["charts"];
  REQUIRE(charts.size() == 3);
  CHECK(charts[0]["values"] == Json({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  CHECK(charts[1]["edges"].front() == 0);
  CHECK(charts[1]["edges"][1] == 5);
  CHECK(charts[1]["edges"].back() == 125);
  CHECK(std::set<std::string>(charts[2]["values"].begin(), charts[2]["values"].end()) ==
        std::set<std::string>{"kind 0", "kind 1", "kind 2"});
}

TEST_CASE("each chart counts the records that meet the filters on other columns") {
  const Served served;
  const std::string filter = R"({"ranges": {"score": [25, 75]}, "values": {"label": [2, 3]}})";
  const Json counts = served.Get("/api/counts", {{"column", "label"}, {"column", "score"}, {"filter", filter}});
  const auto scored = [](uint64_t r) { return Served::HasScore(r) && Served::Score(r) >= 25 && Served::Score(r) < 75; };
  CHECK(counts["exact"] == true);
  CHECK(counts["passing"] == RecordsWith([&](uint64_t r) { return scored(r) && r % 10 / 2 == 1; }).size());
  for (uint64_t label = 0; label < 10; ++label) {
    CHECK(counts["columns"][0]["bins"][label] ==
          RecordsWith([&](uint64_t r) { return scored(r) && r % 10 == label; }).size());
    CHECK(counts["columns"][0]["total"]["bins"][label] == Served::kRecords / 10);
  }
  const Json& scores = counts["columns"][1];
  const auto labelled = [](uint64_t r) { return r % 10 == 2 || r % 10 == 3; };
  CHECK(scores["nulls"] == RecordsWith([&](uint64_t r) { return labelled(r) && !Served::HasScore(r); }).size());
  CHECK(scores["nans"] == 0);
  CHECK(scores["total"]["nans"] ==
        RecordsWith([](uint64_t r) { return Served::HasScore(r) && std::isnan(Served::Score(r)); }).size());
  CHECK(SumOf(scores) == RecordsWith(labelled).size());
  CHECK(SumOf(scores["total"]) == Served::kRecords);
}

TEST_CASE("an SQL expression narrows what is counted, but not the totals") {
  const Served served;
  const Json counts = served.Get("/api/counts", {{"column", "label"}, {"filter", R"({"where": "_id < 100"})"}});
  CHECK(counts["passing"] == 100);
  CHECK(counts["columns"][0]["bins"][0] == 10);
  CHECK(counts["columns"][0]["total"]["bins"][0] == 100);
}

TEST_CASE("records are paged by their rank among those that pass") {
  const Served served;
  const std::string filter = R"({"values": {"kind": ["kind 1"]}, "ranges": {"_id": [10, null]}})";
  const std::vector<uint64_t> passing = RecordsWith([](uint64_t r) { return r % 3 == 1 && r >= 10; });
  std::vector<uint64_t> paged;
  for (uint64_t from = 0; from < passing.size(); from += 100) {
    const Json page = served.Get("/api/records", {{"filter", filter}, {"from", StrCat(from)}, {"count", "100"}});
    CHECK(page["passing"] == passing.size());
    for (const uint64_t ordinal : OrdinalsOf(page["records"])) paged.push_back(ordinal);
  }
  CHECK(paged == passing);
  CHECK(served.Get("/api/records", {{"from", "18446744073709551615"}})["records"].empty());
}

TEST_CASE("a random order has each record that passes once, and depends on the seed alone") {
  const Served served;
  std::set<uint64_t> seen;
  std::vector<uint64_t> first_page;
  for (uint64_t from = 0; from < 100; from += 20) {
    const Served::Parameters asked = {{"filter", R"({"values": {"label": [4]}})"},
                                      {"from", StrCat(from)},
                                      {"count", "20"},
                                      {"order", "random"},
                                      {"seed", "5"}};
    const std::vector<uint64_t> page = OrdinalsOf(served.Get("/api/records", asked)["records"]);
    CHECK(page == OrdinalsOf(served.Get("/api/records", asked)["records"]));
    seen.insert(page.begin(), page.end());
    if (from == 0) first_page = page;
  }
  CHECK(seen.size() == 100);
  CHECK_FALSE(std::is_sorted(first_page.begin(), first_page.end()));
}

TEST_CASE("a record has all its features, its place and its columns") {
  const Served served;
  const Json record = served.Get("/api/record", {{"ordinal", "503"}});
  CHECK(record["error"] == nullptr);
  CHECK(record["shard"]["number"] == 1);
  CHECK(record["columns"]["label"] == 3);
  CHECK(record["columns"]["score"] == 62.875);
  const Json& features = record["features"];
  CHECK(Called(features, "wave")["values"] == Json({1, 2, 503}));
  CHECK(Called(features, "wave")["whole"] == true);
  CHECK(Called(features, "image")["media"] == "image/png");
  CHECK(Called(features, "image")["text"] == nullptr);
  CHECK(Called(features, "image")["bytes"] == Served::Image(503).size());
  CHECK(Called(features, "<i>text")["text"] ==
        "<b>&\"'\xe2\x80\xae"
        "503");
  CHECK(served.Ask("/api/record", {{"ordinal", "1000"}}).status == 404);
}

TEST_CASE("values are served as the bytes of the record, with their media type") {
  const Served served;
  const Served::Parameters image = {{"ordinal", "7"}, {"feature", "image"}};
  const Response whole = served.Ask("/api/value", image);
  CHECK(whole.status == 200);
  CHECK(whole.type == "image/png");
  CHECK(whole.body == Served::Image(7));
  const auto tag_of = [](const Response& response) {
    for (const auto& [name, value] : response.headers) {
      if (name == "ETag") return value;
    }
    return std::string();
  };
  CHECK(tag_of(whole).size() > 16);
  CHECK(tag_of(served.Ask("/api/value", {{"ordinal", "8"}, {"feature", "image"}})) != tag_of(whole));
  CHECK(served.Ask("/api/value", {{"ordinal", "7"}, {"feature", "<i>text"}}).type == "text/plain; charset=utf-8");
}

TEST_CASE("numbers are little-endian arrays") {
  const Served served;
  const Response wave = served.Ask("/api/numbers", {{"ordinal", "12"}, {"feature", "wave"}});
  const std::vector<float> expected = {1, 2, 12};
  CHECK(wave.body == std::string(reinterpret_cast<const char*>(expected.data()), 12));
  const Response label = served.Ask("/api/numbers", {{"ordinal", "12"}, {"feature", "label"}});
  const double two = 2;
  CHECK(label.body == std::string(reinterpret_cast<const char*>(&two), 8));
  CHECK(served.Ask("/api/numbers", {{"ordinal", "12"}, {"feature", "image"}}).status == 422);
}

TEST_CASE("the neighbours of a record are those that pass") {
  const Served served;
  const std::string filter = R"({"values": {"label": [5]}})";
  struct Row {
    std::string from, to;
    Json ordinal;
  };
  for (const Row& row : std::vector<Row>{{"5", "next", 15},
                                         {"5", "previous", nullptr},
                                         {"6", "previous", 5},
                                         {"995", "next", nullptr},
                                         {"15", "this", 15},
                                         {"16", "this", nullptr},
                                         {"18446744073709551614", "previous", 995}}) {
    const Json found = served.Get("/api/locate", {{"filter", filter}, {"from", row.from}, {"to", row.to}});
    CHECK_MESSAGE(found["ordinal"] == row.ordinal, row.from, " ", row.to);
    if (found["rank"] != nullptr) CHECK(found["rank"] == found["ordinal"].get<uint64_t>() / 10);
  }
  const Json drawn = served.Get("/api/locate", {{"filter", filter}, {"to", "random"}, {"seed", "9"}});
  CHECK(drawn["ordinal"].get<uint64_t>() % 10 == 5);
}

TEST_CASE("a shard that is truncated while it is served is an error of its records alone") {
  const Served served;
  served.Get("/api/record", {{"ordinal", "999"}});
  std::filesystem::resize_file(served.shard(500), 100);
  const Json page = served.Get("/api/records", {{"from", "499"}, {"count", "2"}, {"feature", "label"}});
  CHECK(page["records"][0]["error"] == nullptr);
  CHECK(page["records"][1]["error"].is_string());
  CHECK(served.Ask("/api/value", {{"ordinal", "999"}, {"feature", "image"}}).status == 410);
}

TEST_CASE("a request that makes no sense is refused with what was expected") {
  const Served served;
  struct Row {
    std::string path;
    Served::Parameters parameters;
    std::string part;  // of the message
  };
  for (const Row& row :
       std::vector<Row>{{"/api/dataset", {{"x", "1"}}, "no parameter 'x'"},
                        {"/api/dataset", {{"dataset", "1"}}, "less than 1"},
                        {"/api/record", {}, "'ordinal': expected a whole number"},
                        {"/api/record", {{"ordinal", "-1"}}, "got '-1'"},
                        {"/api/record", {{"ordinal", "1"}, {"ordinal", "2"}}, "repeated"},
                        {"/api/records", {{"count", "129"}}, "at most 128"},
                        {"/api/records", {{"ordinal", "-1"}}, "whole number"},
                        {"/api/records", {{"order", "sorted"}}, "'ordinal', 'random'"},
                        {"/api/charts", {{"column", "nothing"}}, "nothing"},
                        {"/api/charts", {{"column", "<i>text"}}, "no chart"},
                        {"/api/counts", {{"page", std::string(33, 'a')}}, "at most 32"},
                        {"/api/counts", {{"filter", "{"}}, "not JSON"},
                        {"/api/counts", {{"filter", std::string(16385, ' ')}}, "at most 16384"},
                        {"/api/counts", {{"filter", std::string(16384, '[')}}, "not JSON"},
                        {"/api/counts", {{"filter", R"({"where": "nonsense("})"}}, "SQL"},
                        {"/api/counts", {{"filter", R"({"what": 1})"}}, "no part 'what'"},
                        {"/api/counts", {{"filter", R"({"ranges": {"label": [1]}})"}}, "not two numbers"},
                        {"/api/counts", {{"filter", R"({"ranges": {"label": ["a", 1]}})"}}, "not a number"},
                        {"/api/counts", {{"filter", R"({"values": {"label": [[1]]}})"}}, "another type"},
                        {"/api/counts", {{"filter", R"({"null": "label"})"}}, "not a list"}}) {
    const Response refused = served.Ask(row.path, row.parameters);
    const Json error = Json::parse(refused.body)["error"];
    CHECK_MESSAGE(refused.status == 400, row.path, ": ", row.part, ": ", refused.body);
    CHECK_MESSAGE(error["message"].get<std::string>().find(row.part) != std::string::npos, error["message"]);
    CHECK_FALSE(error["hint"].get<std::string>().empty());
  }
}

TEST_CASE("a value is asked for each time, and not read again for a client that has it") {
  const Served served;
  for (const std::string path : {"/api/value", "/api/numbers"}) {
    const Served::Parameters named = {{"ordinal", "7"}, {"feature", path == "/api/value" ? "image" : "wave"}};
    const Response whole = served.Ask(path, named);
    REQUIRE(whole.status == 200);
    CHECK(HeaderOf(whole, "Cache-Control") == "private, no-cache");
    const std::string tag = HeaderOf(whole, "ETag");
    // A record that cannot be read any more shows that nothing is.
    const std::string moved = served.shard(0) + ".moved";
    std::filesystem::rename(served.shard(0), moved);
    WriteFile(served.shard(0), "short");
    const Response unchanged = served.Ask(path, named, {{"if-none-match", tag}});
    CHECK(unchanged.status == 304);
    CHECK(unchanged.body.empty());
    CHECK(HeaderOf(unchanged, "ETag") == tag);
    std::filesystem::rename(moved, served.shard(0));
    for (const std::string other : {"8", "17"}) {
      const Served::Parameters others = {{"ordinal", other}, named[1]};
      CHECK(served.Ask(path, others, {{"if-none-match", tag}}).status == 200);
    }
    const Served rebuilt;  // of the same data
    CHECK(rebuilt.Ask(path, named, {{"if-none-match", tag}}).status == 200);
  }
}

TEST_CASE("records are not read for a client that has gone") {
  const Served served;
  for (const std::string path : {"/api/records", "/api/record", "/api/value", "/api/numbers", "/api/wire"}) {
    Request request{.path = path, .gone = std::make_shared<std::atomic<bool>>(true)};
    if (path != "/api/records") request.parameters = {{"ordinal", "3"}};
    if (path == "/api/records") request.parameters = {{"feature", "image"}};
    if (path == "/api/numbers") request.parameters.emplace_back("feature", "wave");
    CHECK_MESSAGE(served.Send(request).status == 409, path);
  }
}

TEST_CASE("the command of a sampler is one that can be run") {
  const Served served;
  const auto command = [&](const std::string& from, const std::string& count) {
    return served.Get("/api/sampler", {{"from", from}, {"count", count}, {"batch", "128"}})["command"]
        .get<std::string>();
  };
  CHECK(command("2", "0").ends_with(" --position 256 -n 128"));
  CHECK(command("144115188075855871", "1").ends_with(" --position 18446744073709551488 -n 128"));
  CHECK(served.Ask("/api/sampler", {{"from", "144115188075855872"}}).status == 400);
}

TEST_CASE("an expression that two ask for at once is evaluated once") {
  const Served served;
  Progress progress;
  auto dataset = ServedDataset::Open(served.data(), {.threads = 1}, progress);
  REQUIRE(dataset.has_value());
  const std::string slow =
      "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT sum(i) FROM n) > 0";
  std::vector<const Selection*> found(4);
  std::vector<std::thread> threads;
  for (const Selection*& one : found) {
    threads.emplace_back([&] {
      const auto selection = (*dataset)->passing().Where(slow, progress);
      one = selection ? selection->get() : nullptr;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(found[0] != nullptr);
  CHECK(std::set<const Selection*>(found.begin(), found.end()).size() == 1);
  // One that is cancelled, or fails, leaves it to the next.
  CHECK_FALSE((*dataset)->passing().Where("no_such_column = 1", progress).has_value());
  CHECK_FALSE((*dataset)->passing().Where("no_such_column = 1", progress).has_value());
}

}  // namespace
}  // namespace ofindex
