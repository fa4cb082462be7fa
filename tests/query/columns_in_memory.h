#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/scan/column_names.h"
#include "query/columns/column_store.h"
#include "tests/query/json_of_values.h"

namespace ofindex {

/// The values of one record under one name, all of one kind; possibly none.
struct Cell {
  FeatureKind kind = FeatureKind::kNone;
  std::vector<int64_t> integers = {};
  std::vector<double> reals = {};
  std::vector<std::string> strings = {};

  [[nodiscard]] size_t size() const { return integers.size() + reals.size() + strings.size(); }
};

inline Cell Ints(std::vector<int64_t> values) { return {.kind = FeatureKind::kInt64, .integers = std::move(values)}; }
inline Cell Doubles(std::vector<double> values) { return {.kind = FeatureKind::kDouble, .reals = std::move(values)}; }
inline Cell Floats(std::vector<double> values) { return {.kind = FeatureKind::kFloat, .reals = std::move(values)}; }
inline Cell Strings(std::vector<std::string> values) {
  return {.kind = FeatureKind::kBytes, .strings = std::move(values)};
}

/// A feature over all records; nullopt for records without it.
struct FeatureInMemory {
  std::string name;
  std::vector<std::optional<Cell>> cells;
};

/// Returns value `i` of a cell as SQL shows it.
inline ColumnValue CellValue(const Cell& cell, size_t i) {
  using Type = ColumnValue::Type;
  if (!cell.integers.empty()) return {.type = Type::kInteger, .integer = cell.integers[i]};
  if (!cell.strings.empty()) {
    return {.type = IsText(AsBytes(cell.strings[i])) ? Type::kText : Type::kBlob, .bytes = cell.strings[i]};
  }
  const double real = cell.reals[i];
  if (real != real) return {};
  return {.type = Type::kReal, .real = real};
}

/// The columns of a dataset that was never on disk, as index/columns/column.h defines them. Provides the input of
/// ColumnStore, and the values that SQL should return, computed independently. The positions of records are invented.
class ColumnsInMemory final : public ColumnSource {
 public:
  /// `blocks` are the numbers of records of the blocks. All blocks of shard 0 come first. `gaps` are the numbers of
  /// ordinals that no record has, before each block and after the last one; empty: none.
  ColumnsInMemory(std::vector<FeatureInMemory> features, const std::vector<uint32_t>& blocks, ColumnChoice choice = {},
                  std::vector<uint64_t> gaps = {})
      : data_(std::move(features)) {
    gaps.resize(blocks.size() + 1);
    for (const uint32_t records : blocks) {
      const auto shard = static_cast<uint32_t>(2 * blocks_.size() >= blocks.size());
      ordinals_ += gaps[blocks_.size()];
      first_.push_back(records_);
      blocks_.push_back({shard, ordinals_, records});
      records_ += records;
      ordinals_ += records;
    }
    ordinals_ += gaps.back();
    shards_.resize(2);
    shards_[0].path = "data/part-0";
    shards_[1].path = "data/odd\xff";
    for (ShardRow& shard : shards_) shard.framing = Framing::kTfRecord;
    Describe(choice);
    for (uint32_t f = 0; f < data_.size(); ++f) {
      for (size_t b = 0; b < blocks_.size(); ++b) Encode(f, b);
    }
  }

  const std::vector<ShardRow>& shards() const override { return shards_; }
  const std::vector<BlockMetadata>& blocks() const override { return blocks_; }
  const std::vector<FeatureRow>& features() const override { return rows_; }
  uint64_t ordinals() const override { return ordinals_; }

  Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role) override {
    std::vector<std::optional<ChunkRow>> chunk_metadata(blocks_.size());
    for (size_t b = 0; b < blocks_.size(); ++b) {
      if (const auto found = chunks_.find({feature, role, b}); found != chunks_.end()) {
        chunk_metadata[b] = found->second;
        chunk_metadata[b]->data.clear();
      }
    }
    return chunk_metadata;
  }

  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block) override {
    ++reads;
    return chunks_.at({feature, role, block}).data;
  }

  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t block) override {
    std::vector<PackedOffsets::Extent> places;
    for (uint64_t r = 0; r < blocks_[block].records; ++r) {
      const uint64_t record = blocks_[block].first_record + r;
      places.push_back({OffsetOf(record), OffsetOf(record) + 16 + LengthOf(record)});
    }
    return places;
  }

  [[nodiscard]] uint64_t records() const { return records_; }

  /// Returns the ordinal of record `record`, both counted from 0: they differ after a gap.
  [[nodiscard]] uint64_t OrdinalOf(uint64_t record) const {
    const size_t b = BlockOf(record);
    return blocks_[b].first_record + (record - first_[b]);
  }

  static uint64_t OffsetOf(uint64_t record) { return record * 1000; }
  static uint64_t LengthOf(uint64_t record) { return record * 37 % 101; }

  /// Returns the expected content of `records`: a value for each of ColumnStore's columns. Gaps are not counted.
  [[nodiscard]] ColumnValue Expected(const Column& column, uint64_t record) const {
    const auto integer = [](uint64_t n) {
      return ColumnValue{.type = ColumnValue::Type::kInteger, .integer = static_cast<int64_t>(n)};
    };
    const uint64_t ordinal = OrdinalOf(record);
    switch (column.origin) {
      case Column::Origin::kId: return integer(ordinal);
      case Column::Origin::kOffset: return integer(OffsetOf(ordinal));
      case Column::Origin::kLength: return integer(LengthOf(ordinal));
      case Column::Origin::kShard:
        return {.type = ColumnValue::Type::kText,
                .bytes = blocks_[BlockOf(record)].shard == 0 ? "data/part-0" : "data/odd\\xff"};
      case Column::Origin::kHash: return {};
      case Column::Origin::kFeature: break;
    }
    const std::optional<Cell>& cell = data_[column.feature].cells[record];
    if (!cell) return {};
    switch (column.role) {
      case ColumnRole::kCount: return integer(cell->size());
      case ColumnRole::kSize: return cell->strings.size() == 1 ? integer(cell->strings[0].size()) : ColumnValue{};
      case ColumnRole::kValue: return cell->size() == 1 ? CellValue(*cell, 0) : ColumnValue{};
      default: break;  // a list: none of these columns is derived
    }
    std::vector<ColumnValue> values;
    for (size_t i = 0; i < cell->size(); ++i) values.push_back(CellValue(*cell, i));
    return {.type = ColumnValue::Type::kText, .bytes = JsonOfValues(values)};
  }

  [[nodiscard]] const std::vector<FeatureInMemory>& data() const { return data_; }

  int reads = 0;  ///< of chunks

 private:
  struct Key {
    uint32_t feature;
    ColumnRole role;
    uint64_t block;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  // Returns the block of a record, counted from 0 without gaps.
  [[nodiscard]] size_t BlockOf(uint64_t record) const {
    return static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), record) - first_.begin()) - 1;
  }

  void Describe(const ColumnChoice& choice) {
    for (uint32_t f = 0; f < data_.size(); ++f) {
      FeatureRow row{.feature = f, .name = data_[f].name, .values_min = std::numeric_limits<uint32_t>::max()};
      for (const auto& cell : data_[f].cells) {
        if (!cell) continue;
        ++row.present;
        row.kinds = static_cast<uint8_t>(row.kinds | 1U << static_cast<unsigned>(cell->kind));
        row.values_min = std::min(row.values_min, static_cast<uint32_t>(cell->size()));
        row.values_max = std::max(row.values_max, static_cast<uint32_t>(cell->size()));
        row.single += cell->size() == 1 ? 1U : 0U;
        for (const std::string& text : cell->strings)
          row.largest_bytes = std::max<uint64_t>(row.largest_bytes, text.size());
      }
      rows_.push_back(std::move(row));
    }
    std::vector<FeatureRow*> by_name;
    for (FeatureRow& row : rows_) by_name.push_back(&row);
    std::sort(by_name.begin(), by_name.end(),
              [](const FeatureRow* a, const FeatureRow* b) { return a->name < b->name; });
    NameColumns(by_name, choice);
    limit_ = choice.mode == ColumnChoice::Mode::kNamed ? 64 << 10 : 64;
  }

  void Encode(uint32_t feature, size_t b) {
    const BlockMetadata& block = blocks_[b];
    const auto cell = [&](uint32_t r) -> const std::optional<Cell>& { return data_[feature].cells[first_[b] + r]; };
    bool single = false, sized = false, too_long = false, counted = false, many = false;
    for (uint32_t r = 0; r < block.records; ++r) {
      if (!cell(r)) continue;
      single = single || cell(r)->size() == 1;
      counted = counted || cell(r)->size() != 1;
      many = many || cell(r)->size() > 1;
      sized = sized || cell(r)->strings.size() == 1;
      too_long = too_long || (cell(r)->strings.size() == 1 && cell(r)->strings[0].size() > limit_);
    }
    const bool lists = rows_[feature].whole && many;
    ChunkBuilder values, counts, sizes, whole;
    for (uint32_t r = 0; r < block.records; ++r) {
      if (!cell(r)) continue;
      AddList(whole, r, *cell(r));
      if (cell(r)->size() == 1) AddSingle(values, r, *cell(r));
      if (cell(r)->strings.size() == 1)
        sizes.AddInteger(r, static_cast<int64_t>(cell(r)->strings[0].size()), FeatureKind::kInt64);
      counts.AddInteger(r, static_cast<int64_t>(cell(r)->size()), FeatureKind::kInt64);
    }
    if (lists) Put({feature, ColumnRole::kList, b}, whole);
    if (!lists && single && !too_long) Put({feature, ColumnRole::kValue, b}, values);
    if (sized && too_long) Put({feature, ColumnRole::kSize, b}, sizes);
    if (counted) Put({feature, ColumnRole::kCount, b}, counts);
  }

  static void AddSingle(ChunkBuilder& builder, uint32_t record, const Cell& cell) {
    if (!cell.integers.empty()) return builder.AddInteger(record, cell.integers[0], cell.kind);
    if (!cell.strings.empty()) return builder.AddBytes(record, AsBytes(cell.strings[0]));
    if (cell.kind == FeatureKind::kFloat) return builder.AddFloat(record, static_cast<float>(cell.reals[0]));
    builder.AddDouble(record, cell.reals[0]);
  }

  static void AddList(ChunkBuilder& builder, uint32_t record, const Cell& cell) {
    if (cell.kind == FeatureKind::kBytes) {
      std::vector<ByteView> views;
      for (const std::string& text : cell.strings) views.push_back(AsBytes(text));
      return builder.AddStrings(record, views);
    }
    std::vector<uint64_t> numbers;
    for (const int64_t value : cell.integers) numbers.push_back(static_cast<uint64_t>(value));
    for (const double value : cell.reals) {
      numbers.push_back(cell.kind == FeatureKind::kFloat ? std::bit_cast<uint32_t>(static_cast<float>(value))
                                                         : std::bit_cast<uint64_t>(value));
    }
    builder.AddNumbers(record, cell.kind, numbers);
  }

  void Put(const Key& key, ChunkBuilder& builder) {
    ChunkRow row = builder.Encode(blocks_[key.block].records);
    row.feature = key.feature;
    row.role = key.role;
    row.block = key.block + 1;
    chunks_.emplace(key, std::move(row));
  }

  std::vector<FeatureInMemory> data_;
  std::vector<BlockMetadata> blocks_;
  std::vector<ShardRow> shards_;
  std::vector<FeatureRow> rows_;
  std::map<Key, ChunkRow> chunks_;
  std::vector<uint64_t> first_;  // record of each block, without gaps
  uint64_t records_ = 0;
  uint64_t ordinals_ = 0;
  uint64_t limit_ = 64;
};

}  // namespace ofindex
