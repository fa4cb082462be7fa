#include "query/sampling/sampler_state.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

SamplerState Some() {
  SamplerState state;
  state.seed = UINT64_MAX;
  state.epoch = 3;
  state.position = uint64_t{1} << 47;
  state.generation = 7;
  state.records = uint64_t{1} << 48;
  state.dataset = std::string(32, 'a');
  state.selection = std::string(32, 'b');
  state.order = "shuffle";
  return state;
}

TEST_CASE("a state is parsed from its JSON unchanged") {
  const auto parsed = ParseSamplerState(ToJson(Some()));
  REQUIRE(parsed);
  CHECK(*parsed == Some());
}

TEST_CASE("text that is not a state is refused with the reason") {
  const std::string good = ToJson(Some());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  struct Row {
    std::string text;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {"{}", "its schema is not ofindex.sampler/1"},
      {with("sampler/1", "sampler/2"), "its schema"},
      {with("\"law\":1", "\"law\":2"), "its `law` is 2, that of this ofindex is 1"},
      {with("\"law\":1", "\"law\":0"), "its `law` is 0, that of this ofindex is 1"},
      {with("\"epoch\":3", "\"epoch\":-3"), "\"epoch\" is not a whole number"},
      {with("\"epoch\":3", "\"epoch\":3.5"), "\"epoch\" is not a whole number"},
      {with("\"epoch\":3,", ""), "\"epoch\" is missing"},
      {with("\"shuffle\"", "5"), "\"order\" is not a string"},
      {with("shuffle", std::string(300, 'x')), "\"order\" is too long"},
      {with("shuffle", std::string(9000, 'x')), "expected at most 8192 bytes"},
      {with("\"shuffle\"", "\"shuffle\",\"skip\":7"), "\"skip\" is not a list of at most 32 skips"},
      {with("\"shuffle\"", "\"shuffle\",\"skip\":[[1,2,0,5,0]]"),
       "\"skip\" is not a list of lists of six whole numbers"},
      {with("\"shuffle\"", "\"shuffle\",\"skip\":[[1,2,0,-5,0,7]]"), "\"skip\" is not a list of lists"},
      {with("\"shuffle\"", "\"shuffle\",\"skip\":[[2,1,0,5,0,7]]"), "\"skip\" has an end before its begin"},
      {with("\"shuffle\"", "\"shuffle\",\"skip\":[[1,2,1,5,0,7]]"), "\"skip\" has an end before its begin"},
      {std::string(4000, '['), "not a JSON object"},
  };
  for (const Row& row : rows) {
    const auto parsed = ParseSamplerState(row.text);
    REQUIRE_FALSE(parsed);
    const bool other_version =
        row.text.find("\"law\":1") == std::string::npos && row.text.find("\"law\"") != std::string::npos;
    CHECK(parsed.error().code == (other_version ? ErrorCode::kStale : ErrorCode::kUsage));
    CHECK_MESSAGE(parsed.error().message.find(row.message) != std::string::npos, parsed.error().message);
  }
}

TEST_CASE("a state is matched to its generation even if the dataset has grown since") {
  SamplerState state = Some();
  state.records = 100;
  state.dataset = "first";
  const std::vector<GenerationRow> grown = {{1, 100, "first"}, {2, 150, "second"}};
  REQUIRE(GenerationOf(state, grown));
  CHECK(GenerationOf(state, grown)->number == 1);
  const auto other = GenerationOf(state, {{1, 100, "other"}, {2, 150, "second"}});
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::kStale);
  CHECK(other.error().message.find("its first 100 records") != std::string::npos);
  const auto less = GenerationOf(state, {{1, 90, "less"}});
  REQUIRE_FALSE(less);
  CHECK(less.error().message.find("the state has 100 records, this dataset has 90") != std::string::npos);
  CHECK_FALSE(GenerationOf(state, {}));
}

TEST_CASE("a pruned dataset refuses the states of earlier generations and says that it was pruned") {
  struct Row {
    int64_t generation;  // of the state
    int64_t first;       // that the dataset has
    bool pruned;         // is the reason
  };
  for (const Row& row : std::vector<Row>{{1, 4, true}, {3, 4, true}, {4, 4, false}, {0, 1, false}, {1, 1, false}}) {
    SamplerState state = Some();
    state.generation = row.generation;
    const auto found = GenerationOf(state, {{row.first, 90, "pruned"}, {row.first + 1, 95, "updated since"}});
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::kStale);
    const std::string text = "generation " + std::to_string(row.generation) + ", but the index was pruned";
    CHECK((found.error().message.find(text) != std::string::npos) == row.pruned);
  }
}

TEST_CASE("a different dataset, selection or order is an error that names it; seed, epoch and position may differ") {
  SamplerState now = Some();
  now.seed = 1;
  now.epoch = 1;
  now.position = 1;
  CHECK(CheckSameSample(Some(), now));
  struct Row {
    std::string SamplerState::*member;
    const char* message;
  };
  for (const Row& row : std::vector<Row>{{&SamplerState::dataset, "of another dataset"},
                                         {&SamplerState::selection, "of another selection"},
                                         {&SamplerState::order, "of another order: shuffle, not changed"}}) {
    SamplerState changed = Some();
    changed.*row.member = "changed";
    const auto checked = CheckSameSample(Some(), changed);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kStale);
    CHECK_MESSAGE(checked.error().message.find(row.message) != std::string::npos, checked.error().message);
  }
}

}  // namespace
}  // namespace ofindex
