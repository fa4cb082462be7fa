#include "index/keys/key_values.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/allocation.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/chunks/chunk.h"
#include "index/keys/key_hash.h"
#include "mmap/files/fault_guard.h"
#include "proto/extract/extracted_feature.h"
#include "proto/extract/value_scan.h"

namespace ofindex {
namespace {

constexpr size_t kRecordsAtOnce = 64;
constexpr size_t kFewValues = 16;
constexpr size_t kManyValues = size_t{1} << 20;  // of one record, at once

tl::unexpected<Error> FloatValues(const std::string& name, const std::string& where) {
  return Fail(
      ErrorCode::kUsage,
      StrCat("feature '", Printable(name), "': its values are floats", where, "; a key needs byte strings or integers"),
      "`ofindex schema` lists the features and their kinds");
}

tl::unexpected<Error> NoSuchFeature(const std::string& name, const std::vector<FeatureRow>& features) {
  std::vector<std::string> names;
  for (const FeatureRow& row : features) {
    if (row.present != 0) names.push_back(row.name);
  }
  const std::string meant = DidYouMean(NearestNames(name, names), "'");
  return Fail(ErrorCode::kUsage,
              StrCat("feature '", Printable(name), "': no record has it; expected one that some have"),
              meant.empty() ? Hint("`ofindex schema` lists the features and their kinds") : Hint(meant));
}

// An index without columns, or without some names, does not know which features there are.
bool KnowsAllFeatures(const DatasetFacts& facts) { return facts.columns != "none" && !facts.features_dropped; }

}  // namespace

Result<void> CheckKeyFeature(const std::string& name, const DatasetFacts& facts,
                             const std::vector<FeatureRow>& features) {
  if (!facts.message.empty()) {
    return Fail(ErrorCode::kUsage,
                StrCat("feature '", Printable(name), "': the payloads are ", Printable(facts.message),
                       " messages, which an index does not explain; a key needs an Example, a SequenceExample or an "
                       "OFRecord"),
                "select records with `ofindex where`");
  }
  const auto row = std::find_if(features.begin(), features.end(), [&](const FeatureRow& f) { return f.name == name; });
  if (row == features.end() || row->present == 0) {
    return KnowsAllFeatures(facts) ? NoSuchFeature(name, features) : Result<void>();
  }
  return (row->kinds & kRealKinds) != 0 ? FloatValues(name, "") : Result<void>();
}

Result<KeyValues> KeyValues::Open(std::shared_ptr<SharedCatalog> catalog, const RecordReader& reader,
                                  const std::string& name) {
  KeyValues values(std::move(catalog), reader, name);
  OFINDEX_TRY(CheckKeyFeature(name, values.catalog_->facts(), values.catalog_->features()));
  OFINDEX_ASSIGN(values.blocks_, values.catalog_->Blocks());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, values.catalog_->Bad());
  for (const BadRow& row : bad) values.bad_.push_back(row.record);
  std::sort(values.bad_.begin(), values.bad_.end());
  values.from_.assign(values.blocks_.size(), From::kRecords);
  OFINDEX_TRY(values.FindColumn());
  return values;
}

// Finds the blocks whose chunks hold all values (index/columns/column.h). The steps of a feature list may differ in
// kind, which columns do not tell.
Result<void> KeyValues::FindColumn() {
  const std::vector<FeatureRow>& features = catalog_->features();
  const auto row = std::find_if(features.begin(), features.end(), [&](const FeatureRow& f) { return f.name == name_; });
  const bool has_column = row != features.end() && !MainColumn(*row).empty();
  if (!has_column || !KnowsAllFeatures(catalog_->facts()) || name_.ends_with("[]")) return {};
  feature_ = row->feature;
  OFINDEX_ASSIGN(const auto values, catalog_->ChunkMetadata(feature_, ColumnRole::kValue, blocks_));
  OFINDEX_ASSIGN(const auto lists, catalog_->ChunkMetadata(feature_, ColumnRole::kList, blocks_));
  OFINDEX_ASSIGN(const auto counts, catalog_->ChunkMetadata(feature_, ColumnRole::kCount, blocks_));
  OFINDEX_ASSIGN(const auto sizes, catalog_->ChunkMetadata(feature_, ColumnRole::kSize, blocks_));
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (lists[i]) {
      // A list with a longer value is NULL.
      from_[i] = row->largest_bytes > kMaxKeptBytes ? From::kRecords : From::kLists;
    } else if (values[i] && (!counts[i] || row->values_max <= 1)) {
      from_[i] = From::kValues;
    } else if (!values[i] && !counts[i] && !sizes[i]) {
      from_[i] = From::kNothing;
    }
  }
  return {};
}

// Collects on one thread.
class KeyValues::Worker {
 public:
  Worker(const KeyValues& values, EntrySorter& sorter, Progress& progress)
      : values_(values), sorter_(sorter), progress_(progress) {
    entries_.reserve(EntrySorter::kRunEntries);
  }

  Result<void> Add(size_t number) {
    block_ = &values_.blocks_[number];
    seen_ = UINT64_MAX;
    const uint64_t with_before = with_;
    switch (values_.from_[number]) {
      case From::kNothing: break;
      case From::kValues: OFINDEX_TRY(AddValues()); break;
      case From::kLists: OFINDEX_TRY(AddLists()); break;
      case From::kRecords: OFINDEX_TRY(AddRecords()); break;
    }
    counts_.without += block_->records - (with_ - with_before);
    progress_.records_done.fetch_add(block_->records, std::memory_order_relaxed);
    return {};
  }

  Result<Counts> Finish() {
    OFINDEX_TRY(sorter_.Take(entries_));
    return counts_;
  }

 private:
  [[nodiscard]] bool IsBad(uint64_t ordinal) const {
    return !values_.bad_.empty() && std::binary_search(values_.bad_.begin(), values_.bad_.end(), ordinal);
  }

  // Adds a value of record `ordinal`; the values of one record follow each other.
  Result<void> AddHash(uint64_t ordinal, uint64_t hash, bool is_bytes) {
    if (std::exchange(seen_, ordinal) != ordinal) ++with_;
    (is_bytes ? counts_.has_bytes : counts_.has_integers) = true;
    entries_.push_back({hash, ordinal});
    return entries_.size() < EntrySorter::kRunEntries ? Result<void>() : sorter_.Take(entries_);
  }

  Result<Chunk> Load(ColumnRole role) {
    OFINDEX_ASSIGN(const std::vector<uint8_t> data, values_.catalog_->Data(values_.feature_, role, block_->number));
    return Chunk::Decode(data, block_->records);
  }

  Result<void> AddValues() {
    OFINDEX_ASSIGN(const Chunk chunk, Load(ColumnRole::kValue));
    for (uint32_t record = 0; record < block_->records; ++record) {
      const uint64_t ordinal = block_->first_record + record;
      const Chunk::Value value = chunk.At(record);
      if (value.type == ColumnValue::Type::kNull || IsBad(ordinal)) continue;
      const bool is_bytes = value.type != ColumnValue::Type::kInteger;
      OFINDEX_TRY(AddHash(ordinal, is_bytes ? HashOfKey(value.bytes) : HashOfKey(value.integer), is_bytes));
    }
    return {};
  }

  Result<void> AddLists() {
    OFINDEX_ASSIGN(const Chunk chunk, Load(ColumnRole::kList));
    const Chunk::Lists& lists = chunk.lists();
    const Chunk::Strings& strings = chunk.strings();
    uint32_t begin = 0;
    for (uint32_t record = 0; record < block_->records; ++record) {
      const uint32_t end = lists.ends[record];
      const uint64_t ordinal = block_->first_record + record;
      const FeatureKind kind = lists.kinds.size() == 1 ? lists.kinds.front() : lists.kinds[record];
      const bool is_bytes = kind == FeatureKind::kBytes;
      for (uint32_t i = begin; i < end && !IsBad(ordinal); ++i) {
        const uint64_t hash =
            is_bytes ? HashOfKey(strings[strings.number[i]]) : HashOfKey(static_cast<int64_t>(lists.numbers[i]));
        OFINDEX_TRY(AddHash(ordinal, hash, is_bytes));
      }
      begin = end;
    }
    return {};
  }

  Result<void> AddRecords() {
    const PayloadKind kind = values_.catalog_->shards()[block_->shard].payload;
    if (kind == PayloadKind::kOpaque) return {};
    const ValueScan scan(kind, values_.name_);
    std::vector<uint64_t> ordinals;
    for (uint32_t record = 0; record < block_->records; ++record) {
      const uint64_t ordinal = block_->first_record + record;
      if (!IsBad(ordinal)) ordinals.push_back(ordinal);
      if (ordinals.size() < kRecordsAtOnce && record + 1 < block_->records) continue;
      if (progress_.cancel) return Interrupted();
      OFINDEX_TRY(ScanRecords(ordinals, scan));
      ordinals.clear();
    }
    return {};
  }

  // Reads the pages that have the feature, and not whole records, if the shard is mapped.
  Result<void> ScanRecords(const std::vector<uint64_t>& ordinals, const ValueScan& scan) {
    std::vector<ByteView> views(ordinals.size());
    const bool viewed = !values_.reader_.inflates() && values_.reader_.View(ordinals, views);
    if (!viewed) {
      OFINDEX_TRY(values_.reader_.CopyInto(ordinals, copies_));
      for (size_t i = 0; i < ordinals.size(); ++i) views[i] = copies_[i];
    }
    for (size_t i = 0; i < ordinals.size(); ++i) OFINDEX_TRY(ScanRecord(ordinals[i], views[i], scan));
    return {};
  }

  struct Found {
    uint64_t hash;
    bool is_bytes;
  };

  // Scans a record, and sets `found` to its values from number `first` on, as many as find room: the scan runs in a
  // guarded section, which must not allocate. Returns how many values there are; nullopt if the record is malformed.
  Result<std::optional<size_t>> Scan(uint64_t ordinal, ByteView payload, const ValueScan& scan, size_t first,
                                     std::span<Found> found) const {
    size_t count = 0;
    bool has_floats = false;
    volatile bool sound = false;
    const auto visit = [&](const ScannedValue& value) {
      const bool is_bytes = value.kind == FeatureKind::kBytes;
      if (!is_bytes && value.kind != FeatureKind::kInt64 && value.kind != FeatureKind::kInt32) has_floats = true;
      if (count >= first && count - first < found.size()) {
        found[count - first] = {is_bytes ? HashOfKey(value.bytes) : HashOfKey(value.integer), is_bytes};
      }
      ++count;
    };
    if (!FaultGuard::Run([&] { sound = scan.Run(payload, visit); })) {
      return Fail(ErrorCode::kStale, StrCat("record ", ordinal, ": its shard was truncated while it was read"),
                  "restore the shard, or take its changes in with `ofindex update`");
    }
    if (!sound) return std::optional<size_t>();
    if (has_floats) return FloatValues(values_.name_, StrCat(" in record ", ordinal));
    return std::optional(count);
  }

  // A record with very many values is scanned several times, so that memory is bounded.
  Result<void> ScanRecord(uint64_t ordinal, ByteView payload, const ValueScan& scan) {
    found_.resize(kFewValues);
    OFINDEX_ASSIGN(const std::optional<size_t> count, Scan(ordinal, payload, scan, 0, found_));
    if (!count) return {};  // a malformed record has no features
    for (size_t first = 0; first < *count; first += found_.size()) {
      if (*count > kFewValues) {
        if (progress_.cancel) return Interrupted();
        found_.resize(std::min(*count, kManyValues));
        OFINDEX_TRY(Scan(ordinal, payload, scan, first, found_));
      }
      const size_t n = std::min(found_.size(), *count - first);
      for (size_t i = 0; i < n; ++i) OFINDEX_TRY(AddHash(ordinal, found_[i].hash, found_[i].is_bytes));
    }
    return {};
  }

  const KeyValues& values_;
  EntrySorter& sorter_;
  Progress& progress_;
  const BlockMetadata* block_ = nullptr;
  Counts counts_;
  uint64_t with_ = 0;
  uint64_t seen_ = UINT64_MAX;
  std::vector<KeyEntry> entries_;
  RecordBatch copies_;
  std::vector<Found> found_;
};

Result<KeyValues::Counts> KeyValues::Collect(EntrySorter& sorter, unsigned threads, Progress& progress) {
  std::atomic<size_t> next{0};
  std::mutex mutex;  // guards the following
  std::optional<Error> error;
  Counts total;
  const auto collect = [&]() -> Result<Counts> {
    Worker worker(*this, sorter, progress);
    for (size_t number = next++; number < blocks_.size(); number = next++) {
      if (progress.cancel) return Interrupted();
      OFINDEX_TRY(worker.Add(number));
    }
    return worker.Finish();
  };
  RunOnThreads(threads, [&](unsigned) {
    const Result<Counts> counts = WithMemory("the values of a key", collect);
    if (!counts) next = blocks_.size();
    const std::lock_guard lock(mutex);
    if (!counts && !error) error = counts.error();
    if (!counts) return;
    total.without += counts->without;
    total.has_bytes = total.has_bytes || counts->has_bytes;
    total.has_integers = total.has_integers || counts->has_integers;
  });
  if (error) return tl::unexpected(*error);
  if (!total.has_bytes && !total.has_integers) return NoSuchFeature(name_, catalog_->features());
  return total;
}

}  // namespace ofindex
