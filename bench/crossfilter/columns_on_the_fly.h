#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/chunks/chunk.h"
#include "query/columns/column_store.h"

namespace ofindex {

inline constexpr uint32_t kRecordsInBlock = 65536;
inline constexpr uint64_t kDistinctChunks = 32;  // of each feature; blocks share them
inline constexpr uint64_t kFeatures = 6;

// Six features: a normally and an evenly distributed real, an ascending integer, small and large integers, and texts
// with a long tail. A third of one is missing.
inline ChunkRow SomeChunk(uint64_t feature, uint64_t step) {
  std::mt19937_64 random(feature << 32 | step);
  std::normal_distribution<double> normal(0, 1);
  ChunkBuilder builder;
  for (uint32_t r = 0; r < kRecordsInBlock; ++r) {
    const double even = static_cast<double>(random() >> 11) * 0x1p-53;
    switch (feature) {
      case 0: builder.AddFloat(r, static_cast<float>(normal(random))); break;
      case 1: builder.AddDouble(r, even); break;
      case 2: builder.AddInteger(r, static_cast<int64_t>(step * 1000 + r / 66), FeatureKind::kInt64); break;
      case 3: builder.AddInteger(r, static_cast<int64_t>(std::exp(even * 7)), FeatureKind::kInt64); break;
      case 4:
        if (random() % 3 != 0) builder.AddInteger(r, static_cast<int64_t>(random() % 1'000'000), FeatureKind::kInt64);
        break;
      default: builder.AddBytes(r, AsBytes(StrCat("class ", static_cast<int>(std::exp(even * 5))))); break;
    }
  }
  return builder.Encode(kRecordsInBlock);
}

/// The columns of an index that nobody could wait for.
class ColumnsOnTheFly final : public ColumnSource {
 public:
  explicit ColumnsOnTheFly(uint64_t records) : shards_(1) {
    shards_[0].path = "data";
    for (uint64_t first = 0; first < records; first += kRecordsInBlock) {
      blocks_.push_back({.shard = 0, .first_record = first, .records = kRecordsInBlock});
    }
    for (uint32_t f = 0; f < kFeatures; ++f) {
      FeatureRow row{.feature = f, .name = StrCat("feature", f)};
      row.sql_value = row.name;
      row.present = row.single = blocks_.size() * kRecordsInBlock;
      row.values_min = row.values_max = 1;
      row.kinds = BitOf(f < 1   ? FeatureKind::kFloat
                        : f < 2 ? FeatureKind::kDouble
                        : f < 5 ? FeatureKind::kInt64
                                : FeatureKind::kBytes);
      features_.push_back(std::move(row));
      for (uint64_t i = 0; i < kDistinctChunks; ++i) {
        rows_.push_back(SomeChunk(f, i));
        data_.push_back(std::exchange(rows_.back().data, {}));
      }
    }
  }

  const std::vector<ShardRow>& shards() const override { return shards_; }
  const std::vector<BlockMetadata>& blocks() const override { return blocks_; }
  const std::vector<FeatureRow>& features() const override { return features_; }

  Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role) override {
    std::vector<std::optional<ChunkRow>> rows(blocks_.size());
    if (role != ColumnRole::kValue) return rows;
    for (uint64_t b = 0; b < blocks_.size(); ++b) {
      rows[b] = rows_[PlaceOf(feature, b)];
    }
    return rows;
  }

  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole /*role*/, uint64_t block) override {
    return data_[PlaceOf(feature, block)];
  }

  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t /*block*/) override {
    return std::vector<PackedOffsets::Extent>(kRecordsInBlock);
  }

 private:
  // Blocks have the chunks in ascending order, so that that of the ascending feature ascends over the dataset.
  [[nodiscard]] uint64_t PlaceOf(uint64_t feature, uint64_t block) const {
    return feature * kDistinctChunks + block * kDistinctChunks / blocks_.size();
  }

  std::vector<ShardRow> shards_;
  std::vector<BlockMetadata> blocks_;
  std::vector<FeatureRow> features_;
  std::vector<ChunkRow> rows_;  // of the distinct chunks, without data
  std::vector<std::vector<uint8_t>> data_;
};

}  // namespace ofindex
