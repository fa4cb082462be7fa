#include "tools/show/shown_record.h"

#include <utility>

#include "base/framing.h"
#include "base/progress.h"
#include "base/text.h"
#include "tools/show/feature_text.h"
#include "tools/show/wire_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxJsonBytes = size_t{64} << 20;

}  // namespace

Result<void> ShownRecord::Load(const Dataset& dataset, uint64_t ordinal) {
  OFINDEX_TRY(Fetch(dataset, ordinal));
  return Decode();
}

Result<void> ShownRecord::Fetch(const Dataset& dataset, uint64_t ordinal) {
  OFINDEX_TRY(dataset.reader().Copy(ordinal, copy_));
  return Place(dataset, ordinal, copy_);
}

Result<void> ShownRecord::Take(const Dataset& dataset, uint64_t ordinal, ByteView payload) {
  OFINDEX_TRY(Place(dataset, ordinal, payload));
  return Decode();
}

Result<void> ShownRecord::Place(const Dataset& dataset, uint64_t ordinal, ByteView payload) {
  dataset_ = &dataset;
  ordinal_ = ordinal;
  payload_ = payload;
  decoded_.Clear();
  OFINDEX_ASSIGN(location_, dataset.reader().Locate(ordinal));
  OFINDEX_ASSIGN(const MapShard shard, dataset.reader().map().Shard(location_.shard));
  shard_ = shard.path;
  if (!paths_) paths_.emplace(dataset.index_path());
  OFINDEX_ASSIGN(const OffsetMap::Place place, dataset.reader().map().Find(ordinal));
  bad_ = static_cast<BadReason>(place.bad_reason);
  payload_offset_ = location_.offset + HeaderBytes(shard.framing);
  kind_ = shard.payload;
  return {};
}

Result<void> ShownRecord::Decode() {
  if (kind_ == PayloadKind::kOpaque) return {};
  if (auto decoded = decoded_.Decode(payload_, kind_); !decoded) {
    return Refuse(decoded.error().code, decoded.error().message);
  }
  return {};
}

tl::unexpected<Error> ShownRecord::Refuse(ErrorCode code, std::string_view what) const {
  return Fail(code, StrCat(ReadText(), "@", payload_offset_, ": record ", ordinal_, ": ", what),
              bad_ == BadReason{} ? StrCat("`ofindex get --raw INDEX ", ordinal_, "` writes the bytes as they are")
                                  : "`ofindex info` lists all bad records");
}

const FeatureList* ShownRecord::FindList(const std::string& feature) const {
  if (!feature.ends_with("[]")) return nullptr;
  const std::string_view name(feature.data(), feature.size() - 2);
  for (const FeatureList& list : decoded_.feature_lists()) {
    if (AsText(list.name) == name) return &list;
  }
  return nullptr;
}

Result<void> ShownRecord::Require(const std::vector<std::string>& names) const {
  for (const std::string& name : names) OFINDEX_TRY(RequireOne(name));
  return {};
}

Result<void> ShownRecord::RequireOne(const std::string& feature) const {
  if (decoded_.Find(AsBytes(feature)) != nullptr || FindList(feature) != nullptr) return {};
  std::string names;
  for (const Feature& one : decoded_.features())
    names += StrCat(names.empty() ? "" : ", ", Printable(AsText(one.name)));
  for (const FeatureList& one : decoded_.feature_lists()) {
    names += StrCat(names.empty() ? "" : ", ", Printable(AsText(one.name)), "[]");
  }
  return Fail(ErrorCode::kUsage, StrCat("record ", ordinal_, " has no feature '", Printable(feature), "'"),
              names.empty() ? std::string("its payload has no features") : StrCat("it has ", names));
}

Result<void> ShownRecord::CheckJson(size_t bytes) const {
  if (bytes <= kMaxJsonBytes) return {};
  return Fail(ErrorCode::kLimit,
              StrCat(ReadText(), "@", location_.offset, ": record ", ordinal_, ": ", FormatCount(bytes),
                     " bytes are too many for JSON; expected at most ", FormatCount(kMaxJsonBytes)),
              "show one of its features with --feature, or write its bytes with --raw");
}

Result<Json> ShownRecord::ToJson(const std::vector<std::string>& names) const {
  size_t shown_bytes = names.empty() ? payload_.size() : 0;
  for (const std::string& name : names) shown_bytes += FeatureBytes(name).size();
  OFINDEX_TRY(CheckJson(shown_bytes));
  Json features = names.empty() ? JsonFeatures(decoded_) : Json::object();
  for (const std::string& name : names) {
    const std::string key = JsonText(name).get<std::string>();
    if (const Feature* feature = decoded_.Find(AsBytes(name))) {
      features[key] = JsonFeature(decoded_, feature->value);
    } else if (const FeatureList* list = FindList(name)) {
      features[key] = JsonFeatureList(decoded_, *list);
    }
  }
  Json json = {{"_id", ordinal_},
               {"_shard", JsonText(shard_)},
               {"_offset", location_.offset},
               {"_length", location_.length},
               {"features", std::move(features)}};
  if (kind_ == PayloadKind::kOpaque && names.empty()) json["payload"] = JsonBytes(payload_);
  return json;
}

Result<void> ShownRecord::Print(const std::vector<std::string>& names, Output& out) const {
  OFINDEX_TRY(out.Line(Heading()));
  if (kind_ == PayloadKind::kOpaque) return PrintHexDump(payload_, out);
  return PrintFeatures(decoded_, names, out);
}

std::string ShownRecord::ShardText() const { return Printable((*paths_)(shard_)); }

// The file that was read: with --root, not the one that the index names.
std::string ShownRecord::ReadText() const {
  const Result<std::string> path = dataset_->reader().ShardPath(location_.shard);
  return path ? Printable(*path) : ShardText();
}

std::string ShownRecord::Heading() const {
  return StrCat("record ", ordinal_, " of ", ShardText(), "@", location_.offset, ", ",
                Counted(location_.length, "byte"), ", ", Name(kind_));
}

Result<void> ShownRecord::PrintWire(const std::vector<std::string>& names, const std::atomic<bool>& cancel,
                                    Output& out) {
  if (kind_ != PayloadKind::kOpaque && payload_.size() > kMaxMessageBytes) return Decode();
  const auto nowhere = [](std::string_view) -> Result<void> { return {}; };
  for (const std::string& name : names) {
    OFINDEX_ASSIGN(const WireOutcome sought, ExplainWire(payload_, kind_, name, nowhere));
    if (sought.entries != 0) continue;
    OFINDEX_TRY(Decode());
    return RequireOne(name);
  }
  OFINDEX_TRY(out.Line(Heading()));
  const auto line = [&](std::string_view text) -> Result<void> {
    if (cancel) return Interrupted();
    return out.Line(text);
  };
  std::vector<std::optional<std::string>> parts(names.begin(), names.end());
  if (parts.empty()) parts.emplace_back(std::nullopt);  // the whole message
  WireOutcome outcome;
  for (const std::optional<std::string>& part : parts) {
    OFINDEX_ASSIGN(outcome, ExplainWire(payload_, kind_, part, line));
  }
  if (outcome.malformed.fault != WireFault::kNone) return Refuse(ErrorCode::kDamage, Describe(outcome.malformed));
  if (bad_ != BadReason{}) return Refuse(ErrorCode::kDamage, StrCat("marked bad: ", Name(bad_)));
  return {};
}

std::vector<uint8_t> ShownRecord::FeatureBytes(const std::string& feature) const {
  std::vector<uint8_t> out;
  if (const Feature* found = decoded_.Find(AsBytes(feature))) {
    AppendValues(found->value, out);
  } else if (const FeatureList* list = FindList(feature)) {
    for (const FeatureValue& step : decoded_.steps(*list)) AppendValues(step, out);
  }
  return out;
}

void ShownRecord::AppendValues(FeatureValue value, std::vector<uint8_t>& out) const {
  const auto append = [&](const auto& values) {
    for (const auto one : values) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(&one);
      out.insert(out.end(), bytes, bytes + sizeof one);
    }
  };
  switch (value.kind) {
    case FeatureKind::kNone: break;
    case FeatureKind::kBytes:
      for (const ByteView bytes : decoded_.bytes(value)) out.insert(out.end(), bytes.begin(), bytes.end());
      break;
    case FeatureKind::kFloat: append(decoded_.floats(value)); break;
    case FeatureKind::kDouble: append(decoded_.doubles(value)); break;
    case FeatureKind::kInt64: append(decoded_.integers(value)); break;
    case FeatureKind::kInt32: {
      const auto integers = decoded_.integers(value);
      append(std::vector<int32_t>(integers.begin(), integers.end()));
      break;
    }
  }
}

}  // namespace ofindex
