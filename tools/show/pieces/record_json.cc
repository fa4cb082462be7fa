#include "tools/show/pieces/record_json.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "proto/feature_slices.h"
#include "tools/shell/json.h"

namespace ofindex {
namespace {

// Values are converted in groups: a value of a document takes 16 bytes, and a text its length twice.
constexpr size_t kGroupValues = 4096;
constexpr size_t kGroupBytes = size_t{64} << 10;

// An array of JSON that is written in groups of values.
class JsonArray {
 public:
  explicit JsonArray(const TextSink& add) : add_(add) {}

  Result<void> Begin() { return add_("["); }

  Result<void> Add(Json value, size_t bytes = 0) {
    group_.push_back(std::move(value));
    bytes_ += bytes;
    return group_.size() < kGroupValues && bytes_ < kGroupBytes ? Result<void>() : Flush();
  }

  Result<void> End() {
    OFINDEX_TRY(Flush());
    return add_("]");
  }

 private:
  Result<void> Flush() {
    if (group_.empty()) return {};
    std::string text = Dump(group_);
    text.pop_back();
    if (any_) text.front() = ',';
    OFINDEX_TRY(add_(std::string_view(text).substr(any_ ? 0 : 1)));
    any_ = true;
    bytes_ = 0;
    group_ = Json::array();
    return {};
  }

  const TextSink& add_;
  Json group_ = Json::array();
  size_t bytes_ = 0;
  bool any_ = false;
};

Result<void> AddSlice(const FeatureData& slice, JsonArray& array) {
  switch (slice.kind()) {
    case FeatureKind::kNone: break;
    case FeatureKind::kBytes:
      for (const ByteView bytes : slice.bytes()) OFINDEX_TRY(array.Add(JsonBytes(bytes), bytes.size()));
      break;
    case FeatureKind::kFloat:
      for (const float real : slice.floats()) OFINDEX_TRY(array.Add(JsonReal(AsFloat(double{real}))));
      break;
    case FeatureKind::kDouble:
      for (const double real : slice.doubles()) OFINDEX_TRY(array.Add(JsonReal(real)));
      break;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64:
      for (const int64_t integer : slice.integers()) OFINDEX_TRY(array.Add(integer));
      break;
  }
  return {};
}

// Returns the kinds of the steps that have one.
std::set<FeatureKind> KindsOfSteps(const DecodedRecord& record, const FeatureList& list) {
  std::set<FeatureKind> kinds;
  for (const FeatureValue& step : record.steps(list)) kinds.insert(step.kind);
  kinds.erase(FeatureKind::kNone);
  return kinds;
}

std::string KindText(std::string_view kind) { return StrCat("{\"kind\":\"", kind, "\",\"values\":"); }

// A feature or a feature list under the key that JSON shows.
struct Member {
  std::string key;
  const Feature* feature;
  const FeatureList* list;
};

// Features whose names are shown alike are one member, the last of them.
class Members {
 public:
  void Add(const std::string& name, const Feature* feature, const FeatureList* list) {
    std::string key = JsonText(name).get<std::string>();
    const auto [found, is_new] = places_.try_emplace(key, members_.size());
    if (is_new) members_.emplace_back();
    members_[found->second] = {std::move(key), feature, list};
  }

  void Add(const FeatureList& list) { Add(StrCat(AsText(list.name), "[]"), nullptr, &list); }
  void Add(const Feature& feature) { Add(std::string(AsText(feature.name)), &feature, nullptr); }

  [[nodiscard]] const std::vector<Member>& all() const { return members_; }

 private:
  std::vector<Member> members_;
  std::map<std::string, size_t> places_;
};

void AddNamed(const DecodedRecord& record, const std::string& name, Members& members) {
  if (const Feature* const feature = record.Find(AsBytes(name))) return members.Add(*feature);
  if (const FeatureList* const list = FindFeatureList(record, name)) members.Add(*list);
}

}  // namespace

const FeatureList* FindFeatureList(const DecodedRecord& record, std::string_view name) {
  if (!name.ends_with("[]")) return nullptr;
  name.remove_suffix(2);
  for (const FeatureList& list : record.feature_lists()) {
    if (AsText(list.name) == name) return &list;
  }
  return nullptr;
}

Result<void> AddJsonValues(const DecodedRecord& record, FeatureValue value, const TextSink& add) {
  JsonArray array(add);
  OFINDEX_TRY(array.Begin());
  FeatureSlices slices(record, value);
  for (FeatureData slice; slices.Next(&slice);) OFINDEX_TRY(AddSlice(slice, array));
  return array.End();
}

Result<void> AddJsonFeature(const DecodedRecord& record, FeatureValue value, const TextSink& add) {
  OFINDEX_TRY(add(KindText(Name(value.kind))));
  OFINDEX_TRY(AddJsonValues(record, value, add));
  return add("}");
}

Result<void> AddJsonSteps(const DecodedRecord& record, const FeatureList& list, const TextSink& add) {
  const bool mixed = KindsOfSteps(record, list).size() > 1;
  OFINDEX_TRY(add("["));
  bool any = false;
  for (const FeatureValue& step : record.steps(list)) {
    if (std::exchange(any, true)) OFINDEX_TRY(add(","));
    if (mixed) {
      OFINDEX_TRY(AddJsonFeature(record, step, add));
    } else {
      OFINDEX_TRY(step.kind == FeatureKind::kNone ? add("null") : AddJsonValues(record, step, add));
    }
  }
  return add("]");
}

Result<void> AddJsonFeatureList(const DecodedRecord& record, const FeatureList& list, const TextSink& add) {
  const std::set<FeatureKind> kinds = KindsOfSteps(record, list);
  const std::string_view kind = kinds.size() > 1 ? "mixed"
                                : kinds.empty()  ? Name(FeatureKind::kNone)
                                                 : Name(*kinds.begin());
  OFINDEX_TRY(add(KindText(kind)));
  OFINDEX_TRY(AddJsonSteps(record, list, add));
  return add("}");
}

Result<void> AddJsonFeatures(const DecodedRecord& record, const std::vector<std::string>& names, const TextSink& add) {
  Members members;
  for (const std::string& name : names) AddNamed(record, name, members);
  if (names.empty()) {
    for (const Feature& feature : record.features()) members.Add(feature);
    for (const FeatureList& list : record.feature_lists()) members.Add(list);
  }
  OFINDEX_TRY(add("{"));
  bool any = false;
  for (const Member& member : members.all()) {
    OFINDEX_TRY(add(StrCat(std::exchange(any, true) ? "," : "", Dump(Json(member.key)), ":")));
    OFINDEX_TRY(member.list != nullptr ? AddJsonFeatureList(record, *member.list, add)
                                       : AddJsonFeature(record, member.feature->value, add));
  }
  return add("}");
}

}  // namespace ofindex
