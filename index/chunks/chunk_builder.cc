#include <algorithm>
#include <bit>
#include <cassert>

#include "index/chunks/chunk.h"
#include "index/chunks/integers.h"
#include "index/chunks/presence.h"
#include "index/chunks/reals.h"
#include "index/chunks/sections/chunk_format.h"
#include "index/chunks/strings.h"
#include "index/chunks/value_groups.h"
#include "index/chunks/zone_map.h"
#include "index/columns/distinct_sketch.h"

namespace ofindex {

// One encoding run of the builder: writes its values and computes the row's numbers.
class ChunkBuilder::Encoder {
 public:
  Encoder(const ChunkBuilder& from, uint32_t records) : from_(from), records_(records), strings_(from.pool_) {}

  [[nodiscard]] std::vector<uint8_t> Write() {
    const ChunkContent content = Content();
    out_.Byte(kChunkVersion);
    out_.Byte(static_cast<uint8_t>(content));
    out_.Varint(records_);
    if (content == ChunkContent::kEmpty) return out_.Take(records_);
    WritePresence(from_.records_.List(), records_, out_);
    if (content == ChunkContent::kMixed) WriteKinds();
    if (content == ChunkContent::kLists) WriteShapes();
    WriteIntegers(from_.integers_, out_);
    WriteFloats(from_.floats_, out_);
    WriteDoubles(from_.doubles_, out_);
    WriteStrings(strings_.values, TextNumbers(), out_);
    return out_.Take(records_);
  }

  void Describe(ChunkRow& row) const {
    ZoneMap zone;
    zone.AddIntegers(from_.integers_);
    const uint32_t nans = zone.AddReals(from_.floats_) + zone.AddReals(from_.doubles_);
    zone.AddSorted(strings_.values, IsPlainText(from_.pool_.all()));
    row.nans = from_.lists_ ? 0 : nans;
    row.nulls = records_ - static_cast<uint32_t>(from_.records_.size()) + row.nans;
    row.min = zone.min();
    row.max = zone.max();
  }

  void Sketch(DistinctSketch& sketch) const {
    sketch.AddIntegers(from_.integers_);
    sketch.AddReals(from_.floats_);
    sketch.AddReals(from_.doubles_);
    for (const uint64_t hash : from_.pool_.hashes()) sketch.AddBytesOf(hash);
  }

 private:
  [[nodiscard]] ChunkContent Content() const {
    if (from_.records_.empty()) return ChunkContent::kEmpty;
    if (from_.lists_) return ChunkContent::kLists;
    const ValueGroup first = GroupOf(from_.kind_);
    const auto same = [&](FeatureKind kind) { return GroupOf(kind) == first; };
    if (!std::all_of(from_.kinds_.begin(), from_.kinds_.end(), same)) return ChunkContent::kMixed;
    return static_cast<ChunkContent>(static_cast<size_t>(ChunkContent::kIntegers) + static_cast<size_t>(first));
  }

  void WriteKinds() {
    std::vector<int64_t> kinds;
    for (FeatureKind kind : from_.Kinds()) kinds.push_back(static_cast<int64_t>(kind));
    WriteIntegers(kinds, out_);
  }

  void WriteShapes() {
    WriteKinds();
    WriteIntegers(from_.lengths_, out_);
    out_.Cost(from_.values_ * kIntegerCost);
  }

  [[nodiscard]] std::vector<uint32_t> TextNumbers() const {
    std::vector<uint32_t> numbers(from_.strings_.size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = strings_.number_of[from_.strings_[i]];
    return numbers;
  }

  const ChunkBuilder& from_;
  uint32_t records_;
  SortedStrings strings_;
  ChunkWriter out_;
};

std::vector<FeatureKind> ChunkBuilder::Kinds() const {
  return kinds_.empty() ? std::vector<FeatureKind>(records_.size(), kind_) : kinds_;
}

bool ChunkBuilder::AddFirstNumber(uint32_t record, FeatureKind kind) {
  if (!Admit(1)) return false;
  AddEntry(record, kind);
  if (kinds_.empty() && !lists_) plain_ = kind;
  return true;
}

void ChunkBuilder::AddEntry(uint32_t record, FeatureKind kind) {
  if (records_.empty()) kind_ = kind;
  if (kind != kind_ || !kinds_.empty()) MixKind(kind);
  records_.Add(record);
  if (lists_) lengths_.push_back(1);
}

void ChunkBuilder::MixKind(FeatureKind kind) {
  plain_ = FeatureKind::kNone;
  if (kinds_.empty()) kinds_.assign(records_.size(), kind_);
  kinds_.push_back(kind);
}

void ChunkBuilder::BeginLists() {
  plain_ = FeatureKind::kNone;
  if (!lists_) lengths_.assign(records_.size(), 1);
  lists_ = true;
}

void ChunkBuilder::AddList(uint32_t record, FeatureKind kind, size_t length) {
  BeginLists();
  AddEntry(record, kind);
  lengths_.back() = static_cast<uint32_t>(length);
}

void ChunkBuilder::AddEmptyLists(std::span<const uint32_t> records) {
  if (records.empty()) return;
  BeginLists();
  const std::vector<uint32_t> old_records = records_.List();
  const std::vector<FeatureKind> old_kinds =
      kinds_.empty() ? std::vector<FeatureKind>(old_records.size(), kind_) : kinds_;
  const std::vector<uint32_t> old_lengths = std::move(lengths_);
  records_.Clear();
  kinds_.clear();
  lengths_.clear();
  size_t i = 0;
  for (const uint32_t record : records) {
    for (; i < old_records.size() && old_records[i] < record; ++i) {
      AddEntry(old_records[i], old_kinds[i]);
      lengths_.back() = old_lengths[i];
    }
    AddEntry(record, FeatureKind::kNone);
    lengths_.back() = 0;
  }
  for (; i < old_records.size(); ++i) {
    AddEntry(old_records[i], old_kinds[i]);
    lengths_.back() = old_lengths[i];
  }
}

void ChunkBuilder::AddBytes(uint32_t record, ByteView value) {
  if (!Admit(1)) return;
  AddEntry(record, FeatureKind::kBytes);
  strings_.push_back(pool_.Add(value));
}

void ChunkBuilder::AddNumbers(uint32_t record, FeatureKind kind, std::span<const uint64_t> values) {
  assert(GroupOf(kind) != ValueGroup::kBytes && (kind != FeatureKind::kNone || values.empty()));
  if (!Admit(values.size())) return;
  AddList(record, kind, values.size());
  StoreNumbers(kind, values);
}

void ChunkBuilder::StoreNumbers(FeatureKind kind, std::span<const uint64_t> values) {
  switch (GroupOf(kind)) {
    case ValueGroup::kFloats:
      floats_.resize(floats_.size() + values.size());
      std::transform(values.begin(), values.end(), floats_.end() - static_cast<ptrdiff_t>(values.size()),
                     [](uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); });
      return;
    case ValueGroup::kDoubles:
      for (uint64_t bits : values) doubles_.push_back(std::bit_cast<double>(bits));
      return;
    default: integers_.insert(integers_.end(), values.begin(), values.end());
  }
}

void ChunkBuilder::AddSingles(uint32_t first, FeatureKind kind, std::span<const uint64_t> values) {
  // Usually, only the first number of a block is not of the kind that all entries have.
  for (; !values.empty() && kind != plain_; values = values.subspan(1), ++first) {
    if (AddFirstNumber(first, kind)) StoreNumbers(kind, values.first(1));
  }
  records_.AddRange(first, static_cast<uint32_t>(values.size()));
  values_ += values.size();
  StoreNumbers(kind, values);
}

void ChunkBuilder::AddStrings(uint32_t record, std::span<const ByteView> values) {
  if (!Admit(values.size())) return;
  AddList(record, FeatureKind::kBytes, values.size());
  for (ByteView value : values) strings_.push_back(pool_.Add(value));
}

uint64_t ChunkBuilder::memory() const {
  return records_.memory() + (lengths_.capacity() + strings_.capacity()) * sizeof(uint32_t) + kinds_.capacity() +
         (integers_.capacity() + doubles_.capacity()) * sizeof(uint64_t) + floats_.capacity() * sizeof(float) +
         pool_.memory();
}

ChunkRow ChunkBuilder::Encode(uint32_t records, DistinctSketch* sketch) {
  assert(records <= kMaxChunkRecords && (records_.empty() || records_.back() < records));
  ChunkRow row;
  // The last value may have exceeded the limit.
  if (Admit(0)) {
    Encoder encoder(*this, records);
    encoder.Describe(row);
    if (sketch != nullptr) encoder.Sketch(*sketch);
    row.data = encoder.Write();
  }
  Clear();
  return row;
}

void ChunkBuilder::Clear() {
  records_.Clear();
  plain_ = FeatureKind::kNone;
  kinds_.clear();
  lengths_.clear();
  integers_.clear();
  floats_.clear();
  doubles_.clear();
  strings_.clear();
  pool_.Clear();
  values_ = 0;
  lists_ = false;
  too_large_ = false;
}

}  // namespace ofindex
