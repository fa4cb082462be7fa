#include "query/sampling/sampler_state.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ofindex {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "ofindex.sampler/1";
constexpr char kSkip[] = "skip";
constexpr size_t kMaxStateBytes = 8192;
constexpr size_t kMaxTextBytes = 200;

tl::unexpected<Error> NoState(std::string_view why) {
  return Fail(ErrorCode::kUsage, StrCat("the sampler's state: ", why),
              "pass the JSON exactly as the sampler returned it");
}

// Reads the members of a state from a document, and remembers the first error.
class Members {
 public:
  explicit Members(const Json& document) : document_(document) {}

  void Take(const char* name, uint64_t& into) {
    const Json* member = Find(name);
    if (member == nullptr) return;
    if (!member->is_number_unsigned()) return Complain(name, "is not a whole number");
    into = member->get<uint64_t>();
  }

  void Take(const char* name, std::string& into) {
    const Json* member = Find(name);
    if (member == nullptr) return;
    if (!member->is_string()) return Complain(name, "is not a string");
    into = member->get<std::string>();
    if (into.size() > kMaxTextBytes) Complain(name, "is too long");
  }

  /// Takes the member "skip" if there is one: a list of lists of six numbers.
  void Take(std::vector<SkippedSteps>& into) {
    const auto found = document_.find(kSkip);
    if (found == document_.end()) return;
    if (!found->is_array() || found->size() > kMaxSkips) {
      return Complain(kSkip, StrCat("is not a list of at most ", kMaxSkips, " skips").c_str());
    }
    for (const Json& one : *found) {
      const bool sound = one.is_array() && one.size() == 6 &&
                         std::all_of(one.begin(), one.end(), [](const Json& n) { return n.is_number_unsigned(); });
      if (!sound) return Complain(kSkip, "is not a list of lists of six whole numbers");
      const auto at = [&](size_t i) { return one[i].get<uint64_t>(); };
      const SkippedSteps skipped{{at(0), at(1)}, {at(2), at(3)}, {at(4), at(5)}};
      if (skipped.steps.last < skipped.steps.first || skipped.end < skipped.begin) {
        return Complain(kSkip, "has an end before its begin");
      }
      into.push_back(skipped);
    }
  }

  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  const Json* Find(const char* name) {
    const auto found = document_.find(name);
    if (found != document_.end()) return &*found;
    Complain(name, "is missing");
    return nullptr;
  }

  void Complain(const char* name, const char* what) {
    if (complaint_.empty()) complaint_ = StrCat("\"", name, "\" ", what);
  }

  const Json& document_;
  std::string complaint_;
};

tl::unexpected<Error> Other(std::string_view what) {
  return Fail(ErrorCode::kStale, StrCat("the sampler's state is of another ", what),
              "open the dataset that it was taken from, or begin a new epoch");
}

// Only `ofindex update --prune` leaves earlier generations out of an index.
tl::unexpected<Error> Pruned(int64_t from, int64_t first) {
  return Fail(ErrorCode::kStale,
              StrCat("the sampler's state is of generation ", from, ", but the index was pruned in generation ", first,
                     ", which moved ordinals: it has no earlier generation"),
              "begin a new epoch without the state");
}

}  // namespace

std::string ToJson(const SamplerState& state) {
  Json document{{"schema", kSchema},        {"law", state.version},       {"seed", state.seed},
                {"epoch", state.epoch},     {"position", state.position}, {"generation", state.generation},
                {"records", state.records}, {"dataset", state.dataset},   {"selection", state.selection},
                {"order", state.order}};
  for (const SkippedSteps& one : state.skipped) {
    document[kSkip].push_back(
        {one.steps.first, one.steps.last, one.begin.epoch, one.begin.position, one.end.epoch, one.end.position});
  }
  return document.dump();
}

Result<SamplerState> ParseSamplerState(const std::string& text) {
  if (text.size() > kMaxStateBytes) return NoState(StrCat("expected at most ", kMaxStateBytes, " bytes"));
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return NoState("not a JSON object");
  if (document.value("schema", Json()) != kSchema) return NoState(StrCat("its schema is not ", kSchema));
  Members members(document);
  SamplerState state;
  uint64_t version = 0;
  uint64_t generation = 0;
  members.Take("law", version);
  members.Take("seed", state.seed);
  members.Take("epoch", state.epoch);
  members.Take("position", state.position);
  members.Take("generation", generation);
  members.Take("records", state.records);
  members.Take("dataset", state.dataset);
  members.Take("selection", state.selection);
  members.Take("order", state.order);
  members.Take(state.skipped);
  if (!members.complaint().empty()) return NoState(members.complaint());
  if (version != kSamplingVersion) {
    return Fail(ErrorCode::kStale,
                StrCat("the sampler's state: its `law` is ", version, ", that of this ofindex is ", kSamplingVersion),
                "begin a new epoch, or continue with the ofindex version that wrote the state");
  }
  if (generation > uint64_t{1} << 62) return NoState("\"generation\" is too large");
  state.generation = static_cast<int64_t>(generation);
  return state;
}

std::optional<BlockShape> BlockOf(const SamplerState& state) {
  unsigned long long run = 0;
  unsigned long long lanes = 0;
  unsigned long long window = 0;
  if (std::sscanf(state.order.c_str(), "block %llu, %llu lanes, window %llu", &run, &lanes, &window) != 3) {
    return std::nullopt;
  }
  return BlockShape{.run = run, .lanes = lanes, .window = window};
}

Result<GenerationRow> GenerationOf(const SamplerState& state, const std::vector<GenerationRow>& generations) {
  // A dataset that has all its records back has the fingerprint that it had before some were gone.
  const GenerationRow* found = nullptr;
  for (const GenerationRow& row : generations) {
    if (row.records != state.records || row.fingerprint != state.dataset) continue;
    if (found == nullptr || row.number == state.generation) found = &row;
  }
  if (found != nullptr) return *found;
  const int64_t first = generations.empty() ? 1 : generations.front().number;
  if (first > 1 && state.generation < first) return Pruned(state.generation, first);
  const uint64_t records = generations.empty() ? 0 : generations.back().records;
  if (records < state.records) {
    return Other(StrCat("dataset: the state has ", state.records, " records, this dataset has ", records));
  }
  return Other(StrCat("dataset: its first ", state.records, " records differ from those of this dataset"));
}

Result<void> CheckSameSample(const SamplerState& state, const SamplerState& now) {
  if (state.dataset != now.dataset || state.records != now.records) {
    return Other(StrCat("dataset: ", state.records, " records with fingerprint ", Printable(state.dataset), ", not ",
                        now.records, " with ", now.dataset));
  }
  if (state.order != now.order) return Other(StrCat("order: ", Printable(state.order), ", not ", now.order));
  if (state.selection != now.selection) return Other("selection of records");
  return {};
}

}  // namespace ofindex
