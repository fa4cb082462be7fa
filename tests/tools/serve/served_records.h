#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/build/builder.h"
#include "proto/encode/payload_builder.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"
#include "tools/serve/explorer.h"
#include "tools/shell/json.h"

namespace ofindex {

/// A dataset of two shards whose records follow from their ordinals, and an explorer of it, which is asked directly.
class ServedRecords {
 public:
  static constexpr uint64_t kRecords = 1000;

  ServedRecords() {
    std::filesystem::create_directory(dir_ / "train");
    for (uint64_t first = 0; first < kRecords; first += kRecords / 2) {
      std::vector<std::string> payloads;
      for (uint64_t r = first; r < first + kRecords / 2; ++r) payloads.push_back(Payload(r));
      WriteFile(dir_ / StrCat("train/part-", first), ShardBytes(Framing::kTfRecord, payloads));
    }
    Progress progress;
    BuildOptions options;
    options.data = {dir_ / "train"};
    options.threads = 2;
    const Result<BuildReport> report = BuildIndex(options, progress);
    REQUIRE_MESSAGE(report.has_value(), report.error().message);
    auto opened = Explorer::Open({dir_ / "train"}, {.threads = 2}, progress);
    REQUIRE_MESSAGE(opened.has_value(), opened.error().message);
    explorer_ = std::move(*opened);
    routes_ = explorer_->Routes();
  }

  using Parameters = std::vector<std::pair<std::string, std::string>>;

  Response Ask(const std::string& path, Parameters parameters, Parameters headers = {}) const {
    Request request{.path = path, .parameters = std::move(parameters), .headers = std::move(headers)};
    return Send(request);
  }

  Response Send(const Request& request) const {
    for (const Route& route : routes_) {
      if (route.path == request.path && route.method == request.method) return route.handler(request);
    }
    FAIL("no route ", request.path);
    return {};
  }

  /// Returns the document of an answer, which must be a success.
  Json Get(const std::string& path, Parameters parameters) const {
    const Response response = Ask(path, std::move(parameters));
    REQUIRE_MESSAGE(response.status == 200, response.body);
    return Json::parse(response.body);
  }

  [[nodiscard]] std::string data() const { return dir_ / "train"; }
  [[nodiscard]] std::string shard(uint64_t first) const { return dir_ / StrCat("train/part-", first); }

  // The values of record `r`.
  static int64_t Label(uint64_t r) { return static_cast<int64_t>(r % 10); }
  static float Score(uint64_t r) { return r % 50 == 7 ? NAN : static_cast<float>(r) / 8; }
  static bool HasScore(uint64_t r) { return r % 4 != 1; }
  static std::string Kind(uint64_t r) { return StrCat("kind ", r % 3); }
  static std::string Image(uint64_t r) { return StrCat("\x89PNG\r\n\x1a\n", std::string(100 + r, '\xee')); }

 private:
  static std::string Payload(uint64_t r) {
    PayloadBuilder builder(PayloadKind::kExample);
    const std::vector<int64_t> label = {Label(r)};
    const std::vector<float> score = {Score(r)};
    const std::vector<float> wave = {1, 2, static_cast<float>(r)};
    const std::string kind = Kind(r);
    const std::string image = Image(r);
    const std::string text = StrCat("<b>&\"'\xe2\x80\xae", r);  // with a bidi override
    const auto add = [&](const std::string& name, const FeatureData& data) {
      REQUIRE(builder.Add(AsBytes(name), data).has_value());
    };
    const std::vector<ByteView> kinds = {AsBytes(kind)}, images = {AsBytes(image)}, texts = {AsBytes(text)};
    add("label", FeatureData::Int64s(label));
    if (HasScore(r)) add("score", FeatureData::Floats(score));
    add("wave", FeatureData::Floats(wave));
    add("kind", FeatureData::Bytes(kinds));
    add("image", FeatureData::Bytes(images));
    add("<i>text", FeatureData::Bytes(texts));
    const Result<ByteView> payload = builder.Finish();
    REQUIRE(payload.has_value());
    return std::string(AsText(*payload));
  }

  TempDir dir_;
  std::unique_ptr<Explorer> explorer_;
  std::vector<Route> routes_;
};

}  // namespace ofindex
