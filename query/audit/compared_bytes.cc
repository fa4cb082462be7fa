#include "query/audit/compared_bytes.h"

#include <algorithm>
#include <array>

#include "base/nearest_names.h"
#include "base/text.h"
#include "mmap/files/fault_guard.h"
#include "proto/extract/value_scan.h"

namespace ofindex {
namespace {

constexpr char kSchemaHint[] = "`ofindex schema` lists the features and their kinds";

tl::unexpected<Error> NoFeatureToCompare(const std::string& path, const std::string& name,
                                         const std::vector<FeatureRow>& features) {
  std::vector<std::string> names;
  for (const FeatureRow& row : features) {
    if (row.present != 0 && row.origin.empty() && (row.kinds & kBytesKind) != 0) names.push_back(row.name);
  }
  const std::string meant = DidYouMean(NearestNames(name, names), "'");
  return Fail(
      ErrorCode::kUsage,
      StrCat(Printable(path), ": no record has the feature '", Printable(name), "'; expected one of byte strings"),
      meant.empty() ? Hint(kSchemaHint) : Hint(meant));
}

// An index without columns, or without some names, does not know which features there are.
Result<void> CheckFeature(const std::string& path, const std::string& name, const DatasetFacts& facts,
                          const std::vector<FeatureRow>& features) {
  if (facts.records == 0) return {};
  if (!facts.message.empty()) {
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(path), ": the payloads are ", Printable(facts.message),
                       " messages, whose features are read by a build alone; expected an Example, a SequenceExample or "
                       "an OFRecord"),
                "`ofindex audit INDEX` compares whole payloads");
  }
  const auto row = std::find_if(features.begin(), features.end(),
                                [&](const FeatureRow& f) { return f.name == name && f.origin.empty(); });
  if (row == features.end() || row->present == 0) {
    const bool knows_all = facts.columns != "none" && !facts.features_dropped && !name.ends_with("[]");
    return knows_all ? NoFeatureToCompare(path, name, features) : Result<void>();
  }
  if (row->values == 0 || (row->kinds & kBytesKind) != 0) return {};
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(path), ": the values of the feature '", Printable(name), "' are ", KindNames(row->kinds),
                     "; expected byte strings"),
              kSchemaHint);
}

void AppendValue(ByteView value, std::vector<uint8_t>& bytes) {
  std::array<uint8_t, 8> size;
  StoreLe64(size.data(), value.size());
  bytes.insert(bytes.end(), size.begin(), size.end());
  bytes.insert(bytes.end(), value.begin(), value.end());
}

}  // namespace

Result<ComparedBytes> ComparedBytes::Open(const Dataset& dataset, const std::string& feature) {
  if (!feature.empty()) {
    OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
    OFINDEX_TRY(CheckFeature(dataset.index_path(), feature, catalog->facts(), catalog->features()));
  }
  const std::shared_ptr<const RecordReader> reader(std::shared_ptr<void>(), &dataset.reader());  // does not own it
  OFINDEX_ASSIGN(std::shared_ptr<const ReaderSource> records, ReaderSource::Of(reader));
  return ComparedBytes(std::move(records), feature);
}

// Runs in a guarded section: allocates nothing. One value has its own hash, and several have the hash of their hashes
// (index/scan/derived_values.h).
std::optional<uint64_t> ComparedBytes::HashOf(uint64_t ordinal, ByteView payload, Xxh3Stream& stream) const {
  if (feature_.empty()) return Xxh3(payload);
  uint64_t count = 0;
  uint64_t first = 0;
  const ValueScan scan(records_->KindOf(ordinal), feature_);
  const bool sound = scan.Run(payload, [&](const ScannedValue& value) {
    if (value.kind != FeatureKind::kBytes) return;
    const uint64_t hash = Xxh3(value.bytes);
    if (++count == 1) {
      first = hash;
      return;
    }
    if (count == 2) {
      stream.Reset();
      stream.Add(first);
    }
    stream.Add(hash);
  });
  if (!sound || count == 0) return std::nullopt;  // a malformed record has no features
  return count == 1 ? first : stream.Digest64();
}

Result<void> ComparedBytes::Hash(std::span<const uint64_t> ordinals, Room& room,
                                 std::span<std::optional<uint64_t>> hashes) const {
  const RecordReader& reader = records_->reader();
  room.views.resize(ordinals.size());
  const bool viewed = !reader.inflates() && reader.View(ordinals, room.views);
  if (!viewed) {
    OFINDEX_TRY(reader.CopyInto(ordinals, room.copies));
    for (size_t i = 0; i < ordinals.size(); ++i) room.views[i] = room.copies[i];
  }
  const auto hash = [&] {
    for (size_t i = 0; i < ordinals.size(); ++i) hashes[i] = HashOf(ordinals[i], room.views[i], room.stream);
  };
  if (FaultGuard::Run(hash)) return {};
  return Fail(ErrorCode::kStale, StrCat("record ", ordinals.front(), " or a later one: its shard was truncated"),
              "restore the shard, or take its changes in with `ofindex update`");
}

Result<bool> ComparedBytes::Read(uint64_t ordinal, Room& room, std::vector<uint8_t>& bytes) const {
  if (feature_.empty()) {
    OFINDEX_TRY(records_->reader().Copy(ordinal, bytes));
    return true;
  }
  OFINDEX_TRY(records_->reader().Copy(ordinal, room.payload));
  bytes.clear();
  const ValueScan scan(records_->KindOf(ordinal), feature_);
  const bool sound = scan.Run(room.payload, [&](const ScannedValue& value) {
    if (value.kind == FeatureKind::kBytes) AppendValue(value.bytes, bytes);
  });
  return sound && !bytes.empty();
}

Result<std::optional<ByteView>> ComparedBytes::ReadFirst(uint64_t ordinal, Room& room) const {
  OFINDEX_TRY(records_->reader().Copy(ordinal, room.payload));
  std::optional<ByteView> first;
  const ValueScan scan(records_->KindOf(ordinal), feature_);
  const bool sound = scan.Run(room.payload, [&](const ScannedValue& value) {
    if (value.kind == FeatureKind::kBytes && !first) first = value.bytes;
  });
  return sound ? first : std::nullopt;
}

Result<void> ComparedBytes::CheckShardOf(uint64_t ordinal, Room& room) const {
  const RecordReader& reader = records_->reader();
  if (!reader.inflates()) {
    const Result<ByteView> view = reader.View(ordinal);
    if (view) return {};
    if (view.error().code != ErrorCode::kLimit) return tl::unexpected(view.error());
  }
  return reader.Copy(ordinal, room.payload);
}

}  // namespace ofindex
