#include "tools/show/shown_record.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/framing.h"
#include "base/progress.h"
#include "base/text.h"
#include "proto/feature_slices.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"
#include "tools/show/feature_text.h"
#include "tools/show/pieces/record_json.h"
#include "tools/show/wire_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxJsonBytes = size_t{64} << 20;  // of one value, which JSON takes in several copies

// Returns the size of the longest bytes value; 0 if there is none.
size_t LongestBytes(const DecodedRecord& record, FeatureValue value) {
  size_t longest = 0;
  if (value.kind != FeatureKind::kBytes) return longest;
  FeatureSlices slices(record, value);
  for (FeatureData slice; slices.Next(&slice);) {
    for (const ByteView bytes : slice.bytes()) longest = std::max(longest, bytes.size());
  }
  return longest;
}

// Returns the bytes of numbers, which are little-endian as they are in memory.
template <typename Number>
std::string_view TextOf(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

Result<void> ShownRecord::Load(const Dataset& dataset, uint64_t ordinal, Large large) {
  if (large == Large::kOutlined) {
    OFINDEX_TRY(Fetch(dataset, ordinal));
  } else {
    OFINDEX_TRY(dataset.reader().Copy(ordinal, room_));
    own_ = LentRecord(room_);
    OFINDEX_TRY(Place(dataset, ordinal, own_));
  }
  return Decode(large);
}

Result<void> ShownRecord::Fetch(const Dataset& dataset, uint64_t ordinal) {
  OFINDEX_ASSIGN(own_, dataset.reader().Lend(ordinal, room_));
  return Place(dataset, ordinal, own_);
}

Result<void> ShownRecord::Take(const Dataset& dataset, uint64_t ordinal, const LentRecord& record) {
  OFINDEX_TRY(Place(dataset, ordinal, record));
  return Decode(Large::kOutlined);
}

Result<void> ShownRecord::Place(const Dataset& dataset, uint64_t ordinal, const LentRecord& record) {
  dataset_ = &dataset;
  ordinal_ = ordinal;
  record_ = &record;
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

Result<void> ShownRecord::Decode(Large large) {
  if (kind_ == PayloadKind::kOpaque) return {};
  const bool outlined = large == Large::kOutlined && record_->is_large();
  const Result<void> decoded = outlined ? decoded_.DecodeOutline(payload(), kind_) : decoded_.Decode(payload(), kind_);
  if (decoded) return {};
  OFINDEX_TRY(record_->Check());  // a record that was changed meanwhile may look malformed
  return Refuse(decoded.error().code, decoded.error().message);
}

tl::unexpected<Error> ShownRecord::Refuse(ErrorCode code, std::string_view what) const {
  return Fail(code, StrCat(ReadText(), "@", payload_offset_, ": record ", ordinal_, ": ", what),
              bad_ == BadReason{} ? StrCat("`ofindex get --raw INDEX ", ordinal_, "` writes the bytes as they are")
                                  : "`ofindex info` lists all bad records");
}

const FeatureList* ShownRecord::FindList(const std::string& feature) const {
  return FindFeatureList(decoded_, feature);
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
  OFINDEX_TRY(record_->Check());  // a record that was changed meanwhile may have other names
  return Fail(ErrorCode::kUsage, StrCat("record ", ordinal_, " has no feature '", Printable(feature), "'"),
              names.empty() ? std::string("its payload has no features") : StrCat("it has ", names));
}

Result<void> ShownRecord::CheckJson(const std::vector<std::string>& names) const {
  if (payload().size() <= kMaxJsonBytes) return {};
  size_t longest = kind_ == PayloadKind::kOpaque && names.empty() ? payload().size() : 0;
  const auto is_asked = [&names](const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Feature& feature : decoded_.features()) {
    if (is_asked(std::string(AsText(feature.name)))) longest = std::max(longest, LongestBytes(decoded_, feature.value));
  }
  for (const FeatureList& list : decoded_.feature_lists()) {
    if (!is_asked(StrCat(AsText(list.name), "[]"))) continue;
    for (const FeatureValue& step : decoded_.steps(list)) longest = std::max(longest, LongestBytes(decoded_, step));
  }
  OFINDEX_TRY(record_->Check());
  if (longest <= kMaxJsonBytes) return {};
  return Fail(ErrorCode::kLimit,
              StrCat(ReadText(), "@", location_.offset, ": record ", ordinal_, ": a value of ", FormatCount(longest),
                     " bytes is too long for JSON; expected at most ", FormatCount(kMaxJsonBytes)),
              "show its other features with --feature, or write its bytes with --raw");
}

Result<void> ShownRecord::AddJson(const std::vector<std::string>& names, RecordPieces& pieces) const {
  OFINDEX_TRY(CheckJson(names));
  std::string head = Dump(Json{
      {"_id", ordinal_}, {"_shard", JsonText(shard_)}, {"_offset", location_.offset}, {"_length", location_.length}});
  head.pop_back();
  OFINDEX_TRY(pieces.Add(head));
  OFINDEX_TRY(pieces.Add(",\"features\":"));
  OFINDEX_TRY(AddJsonFeatures(decoded_, names, [&](std::string_view text) { return pieces.Add(text); }));
  if (kind_ == PayloadKind::kOpaque && names.empty()) {
    OFINDEX_TRY(pieces.Add(",\"payload\":"));
    OFINDEX_TRY(pieces.Add(Dump(JsonBytes(payload()))));
  }
  return pieces.Add("}");
}

Result<void> ShownRecord::AddText(const std::vector<std::string>& names, RecordPieces& pieces) const {
  Output out([&](std::string_view text) { return pieces.Add(text); });
  OFINDEX_TRY(out.Line(Heading()));
  OFINDEX_TRY(kind_ == PayloadKind::kOpaque ? PrintHexDump(payload(), out) : PrintFeatures(decoded_, names, out));
  return out.Flush();
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

Result<void> ShownRecord::AddWire(const std::vector<std::string>& names, const std::atomic<bool>& cancel,
                                  RecordPieces& pieces) {
  if (kind_ != PayloadKind::kOpaque && payload().size() > kMaxMessageBytes) return Decode(Large::kOutlined);
  const auto nowhere = [](std::string_view) -> Result<void> { return {}; };
  for (const std::string& name : names) {
    OFINDEX_ASSIGN(const WireOutcome sought, ExplainWire(payload(), kind_, name, nowhere));
    if (sought.entries != 0) continue;
    OFINDEX_TRY(Decode(Large::kOutlined));
    return RequireOne(name);
  }
  OFINDEX_TRY(pieces.Add(Heading() + "\n"));
  const auto line = [&](std::string_view text) -> Result<void> {
    if (cancel) return Interrupted();
    OFINDEX_TRY(pieces.Add(text));
    return pieces.Add("\n");
  };
  std::vector<std::optional<std::string>> parts(names.begin(), names.end());
  if (parts.empty()) parts.emplace_back(std::nullopt);  // the whole message
  WireOutcome outcome;
  for (const std::optional<std::string>& part : parts) {
    OFINDEX_ASSIGN(outcome, ExplainWire(payload(), kind_, part, line));
  }
  if (outcome.malformed.fault != WireFault::kNone) return Refuse(ErrorCode::kDamage, Describe(outcome.malformed));
  if (bad_ != BadReason{}) return Refuse(ErrorCode::kDamage, StrCat("marked bad: ", Name(bad_)));
  return {};
}

Result<void> ShownRecord::AddFeature(const std::string& feature, RecordPieces& pieces) const {
  if (const Feature* found = decoded_.Find(AsBytes(feature))) return AddValues(found->value, pieces);
  const FeatureList* const list = FindList(feature);
  if (list == nullptr) return {};
  for (const FeatureValue& step : decoded_.steps(*list)) OFINDEX_TRY(AddValues(step, pieces));
  return {};
}

Result<void> ShownRecord::AddValues(FeatureValue value, RecordPieces& pieces) const {
  FeatureSlices slices(decoded_, value);
  for (FeatureData slice; slices.Next(&slice);) {
    switch (value.kind) {
      case FeatureKind::kNone: break;
      case FeatureKind::kBytes:
        for (const ByteView bytes : slice.bytes()) OFINDEX_TRY(pieces.Add(AsText(bytes)));
        break;
      case FeatureKind::kFloat: OFINDEX_TRY(pieces.Add(TextOf(slice.floats()))); break;
      case FeatureKind::kDouble: OFINDEX_TRY(pieces.Add(TextOf(slice.doubles()))); break;
      case FeatureKind::kInt64: OFINDEX_TRY(pieces.Add(TextOf(slice.integers()))); break;
      case FeatureKind::kInt32: {
        const std::vector<int32_t> integers(slice.integers().begin(), slice.integers().end());
        OFINDEX_TRY(pieces.Add(TextOf(std::span<const int32_t>(integers))));
        break;
      }
    }
  }
  return {};
}

}  // namespace ofindex
