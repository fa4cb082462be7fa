#include "index/scan/block_extractor.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

// Counts `records` records that have `values` values each.
void Count(uint64_t records, uint32_t values, FeatureRow& row) {
  row.values_min = row.present == 0 ? values : std::min(row.values_min, values);
  row.values_max = std::max(row.values_max, values);
  row.present += records;
  row.values += records * values;
  if (values == 1) row.single += records;
}

}  // namespace

uint64_t BlockColumns::memory() const {
  uint64_t bytes = malformed.size() * sizeof(uint32_t) + (dropped_from ? dropped_from->size() : 0);
  for (const BlockFeature& feature : features) {
    bytes += sizeof feature + feature.row.name.size();
    for (const ChunkRow& chunk : feature.chunks) bytes += sizeof chunk + chunk.data.size();
  }
  return bytes;
}

BlockExtractor::BlockExtractor(const FieldPlan& plan, const ColumnChoice& choice)
    : choice_(choice), extractor_(plan, choice.Kept()), run_(extractor_.run()) {}

bool BlockExtractor::Add(uint32_t record, PayloadPages& pages, uint64_t length) {
  EndRun(record + 1);
  const Extractor::Outcome outcome = extractor_.Extract(pages, length);
  if (outcome == Extractor::Outcome::kUnreadable) return false;
  return Take(record, outcome, PayloadBytes(pages));
}

// The following runs for each feature of each record, and is inlined in Take.
inline void BlockExtractor::CollectValue(uint32_t record, const ExtractedFeature& found, Collected& into) {
  switch (found.kind) {
    case FeatureKind::kNone: return;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: into.values.AddInteger(record, static_cast<int64_t>(found.bits), found.kind); return;
    case FeatureKind::kFloat:
      into.values.AddFloat(record, std::bit_cast<float>(static_cast<uint32_t>(found.bits)));
      return;
    case FeatureKind::kDouble: into.values.AddDouble(record, std::bit_cast<double>(found.bits)); return;
    case FeatureKind::kBytes: break;
  }
  into.sizes.emplace_back(record, found.size);
  const bool too_long = found.size > (into.named ? kMaxKeptBytes : kMaxAutoBytes);
  into.too_long = into.too_long || too_long;
  // A named feature may still get a column of lists, which stores only the values that are short enough. A column of
  // single values stores all values or none.
  if (into.named ? !too_long : !into.too_long) into.values.AddBytes(record, found.bytes);
}

inline void BlockExtractor::Collect(uint32_t record, const ExtractedFeature& found, Collected& into) {
  into.row.kinds = static_cast<uint8_t>(into.row.kinds | found.kinds);
  into.row.largest_bytes = std::max(into.row.largest_bytes, found.largest);
  if (found.count != 1) return CollectNotOne(record, found, into);
  ++into.singles;
  if (!into.wanted) return;
  // Most features always have one value: then only the records are noted.
  if (into.counted) {
    into.counts.AddInteger(record, 1, FeatureKind::kInt64);
  } else {
    into.present.Add(record);
  }
  CollectValue(record, found, into);
}

void BlockExtractor::AddOther(uint32_t record, ByteView payload) {
  EndRun(record + 1);
  const Extractor::Outcome outcome = extractor_.Extract(payload);
  static_cast<void>(Take(record, outcome, PayloadBytes(payload)));  // what is in memory can be read
}

void BlockExtractor::FindRunBytes() {
  run_bytes_.clear();
  for (size_t entry = 0; entry < run_.entries(); ++entry) {
    if (run_.kind(entry) != FeatureKind::kBytes) continue;
    Collected& into = Of(run_.feature(entry));
    if (into.wanted || into.derived) run_bytes_.push_back({entry, &into});
  }
}

// Byte strings are collected at once: the payload of the next record may overwrite them.
void BlockExtractor::CollectRunBytes(uint32_t record) {
  for (const RunBytes& one : run_bytes_) {
    const ByteView bytes = run_.last_bytes(one.entry);
    if (one.into->wanted) {
      CollectValue(record, {.kind = FeatureKind::kBytes, .size = bytes.size(), .bytes = bytes}, *one.into);
    }
    if (!one.into->derived) continue;
    PayloadBytes payload(bytes);
    const PayloadRange all{.offset = 0, .size = bytes.size()};
    one.into->derived->Add(record, payload, {&all, 1});
  }
}

// Collects the records of the run; the next run will begin at record `next`.
void BlockExtractor::EndRun(uint32_t next) {
  if (run_.records() != 0) {
    for (size_t entry = 0; entry < run_.entries(); ++entry) CollectRun(entry);
    run_.Clear();
  }
  run_begin_ = next;
}

void BlockExtractor::CollectRun(size_t entry) {
  Collected& into = Of(run_.feature(entry));
  const std::span<const uint64_t> values = run_.values(entry);
  const FeatureKind kind = run_.kind(entry);
  const bool is_bytes = kind == FeatureKind::kBytes;
  into.row.kinds = static_cast<uint8_t>(into.row.kinds | BitOf(kind));
  if (is_bytes) into.row.largest_bytes = std::max(into.row.largest_bytes, *std::ranges::max_element(values));
  into.singles += values.size();
  if (!into.wanted) return;
  const auto count = static_cast<uint32_t>(values.size());
  if (into.counted) {
    const std::vector<uint64_t> ones(count, 1);
    into.counts.AddSingles(run_begin_, FeatureKind::kInt64, ones);
  } else {
    into.present.AddRange(run_begin_, count);
  }
  if (!is_bytes) into.values.AddSingles(run_begin_, kind, values);
}

// Returns false if a page of the payload could not be read.
bool BlockExtractor::Take(uint32_t record, Extractor::Outcome outcome, PayloadBytes payload) {
  if (outcome == Extractor::Outcome::kMalformed) malformed_.push_back(record);
  for (const uint32_t feature : extractor_.evicted()) {
    if (feature < collected_.size()) collected_[feature].reset();
  }
  for (const ExtractedFeature& found : extractor_.found()) {
    Collected& into = Of(found.feature);
    Collect(record, found, into);
    if (into.derived) Derive(record, found, payload, *into.derived);
  }
  return !payload.unreadable();
}

void BlockExtractor::Derive(uint32_t record, const ExtractedFeature& found, PayloadBytes& payload,
                            DerivedValues& into) const {
  if (found.kind != FeatureKind::kBytes || found.count == 0) return;
  const PayloadRange single{.offset = found.bits, .size = found.size};
  const bool is_single = found.count == 1;
  into.Add(record, payload, is_single ? std::span(&single, 1) : extractor_.ranges().subspan(found.first, found.count));
}

BlockExtractor::Collected& BlockExtractor::Begin(uint32_t feature) {
  if (feature >= collected_.size()) collected_.resize(feature + size_t{1});
  std::unique_ptr<Collected>& collected = collected_[feature];
  if (spare_.empty()) {
    collected = std::make_unique<Collected>();
  } else {
    collected = std::move(spare_.back());
    spare_.pop_back();
  }
  collected->Begin(extractor_.names()[feature], choice_);
  return *collected;
}

void BlockExtractor::Collected::Begin(const std::string& name, const ColumnChoice& choice) {
  row = {};
  row.name = name;
  named = choice.Named(name);
  const std::vector<DerivedColumn> columns = choice.derived.ColumnsOf(name);
  derived = columns.empty() ? nullptr : std::make_unique<DerivedValues>(columns);
  wanted = named || choice.mode == ColumnChoice::Mode::kAuto;
  too_long = counted = listed = false;
  singles = 0;
  present.Clear();
  empty.clear();
  sizes.clear();
}

void BlockExtractor::Collected::CountSingles() {
  if (singles != 0) Count(std::exchange(singles, 0), 1, row);
}

void BlockExtractor::CollectNotOne(uint32_t record, const ExtractedFeature& found, Collected& into) {
  Count(1, found.count, into.row);
  if (!into.wanted) return;
  CountAll(into);
  into.counts.AddInteger(record, found.count, FeatureKind::kInt64);
  if (into.named) CollectList(record, found, into);
}

// Starts counting, beginning with the records seen so far.
void BlockExtractor::CountAll(Collected& collected) {
  if (collected.counted) return;
  for (const uint32_t before : collected.present.List()) collected.counts.AddInteger(before, 1, FeatureKind::kInt64);
  collected.counted = true;
}

void BlockExtractor::CollectList(uint32_t record, const ExtractedFeature& found, Collected& into) {
  if (found.count == 0) {
    if (!into.listed) return into.empty.push_back(record);
    return into.values.AddNumbers(record, FeatureKind::kNone, {});
  }
  if (!into.listed) into.values.AddEmptyLists(into.empty);
  into.listed = true;
  // Steps of several kinds do not form a list, which has one kind; values that were too long are not stored.
  if (found.kind == FeatureKind::kNone || found.largest > kMaxKeptBytes) return;
  if (found.kind == FeatureKind::kBytes) {
    into.values.AddStrings(record, extractor_.strings().subspan(found.first, found.count));
  } else {
    into.values.AddNumbers(record, found.kind, extractor_.numbers().subspan(found.first, found.count));
  }
}

Result<BlockColumns> BlockExtractor::Finish(uint32_t records) {
  EndRun(0);
  BlockColumns columns;
  for (uint32_t feature = 0; feature < collected_.size(); ++feature) {
    if (!collected_[feature] || !extractor_.kept(feature)) continue;
    OFINDEX_ASSIGN(BlockFeature encoded, Encode(*collected_[feature], records));
    columns.features.push_back(std::move(encoded));
    spare_.push_back(std::move(collected_[feature]));
  }
  std::sort(columns.features.begin(), columns.features.end(),
            [](const BlockFeature& a, const BlockFeature& b) { return a.row.name < b.row.name; });
  columns.malformed = std::exchange(malformed_, {});
  columns.dropped = extractor_.dropped();
  columns.dropped_from = extractor_.first_evicted();
  collected_.clear();
  extractor_.Forget();
  return columns;
}

// Encodes the collected values and clears the builders.
Result<BlockFeature> BlockExtractor::Encode(Collected& collected, uint32_t records) {
  collected.CountSingles();
  BlockFeature feature{.row = std::move(collected.row), .sketch = {}};
  const bool too_large = collected.values.too_large();
  const auto add = [&](ColumnRole role, ChunkBuilder& builder, DistinctSketch* sketch) {
    if (builder.empty()) return;
    ChunkRow chunk = builder.Encode(records, sketch);
    chunk.role = role;
    feature.chunks.push_back(std::move(chunk));
  };
  const bool sized = collected.too_long && !collected.listed;
  // Numbers in a feature with strings that are too long are in no column: the counts show that they exist.
  if (sized && feature.row.single != collected.sizes.size()) CountAll(collected);
  if (!sized && !collected.listed) add(ColumnRole::kValue, collected.values, &feature.sketch);
  add(ColumnRole::kCount, collected.counts, nullptr);
  if (sized) {
    // The values before the first long one are not needed.
    collected.values.Clear();
    ChunkBuilder sizes;
    for (const auto& [record, size] : collected.sizes) {
      sizes.AddInteger(record, static_cast<int64_t>(size), FeatureKind::kInt64);
    }
    add(ColumnRole::kSize, sizes, &feature.sketch);
  }
  if (collected.listed) add(ColumnRole::kList, collected.values, &feature.sketch);
  if (collected.derived) collected.derived->Encode(records, feature.chunks);
  if (!too_large || sized) return feature;
  return Fail(ErrorCode::kLimit,
              StrCat("feature ", Printable(feature.row.name), ": too much data in one block of ",
                     Counted(records, "record"), " for a column"),
              "leave it out of --columns");
}

}  // namespace ofindex
