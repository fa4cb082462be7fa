#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/catalog/row_checksums.h"
#include "index/columns/column.h"
#include "index/columns/feature_totals.h"
#include "index/database/sqlite.h"

namespace ofindex {

/// Fills a new index file row by row, in ordinal order, so that the same rows give the same bytes. Moves, does not
/// copy; not thread-safe.
class CatalogWriter {
 public:
  /// Creates the tables in `path`, an empty file. Errors: kIo.
  [[nodiscard]] static Result<CatalogWriter> Create(const std::string& path);

  [[nodiscard]] Result<void> Add(const BlockRow& block);
  [[nodiscard]] Result<void> Add(const BadRow& bad);
  [[nodiscard]] Result<void> Add(const DamageRow& damage);
  [[nodiscard]] Result<void> Add(const CheckpointRow& checkpoint);
  [[nodiscard]] Result<void> Add(const AbsenceRow& absence);

  /// Adds a file that is not in the index.
  [[nodiscard]] Result<void> Add(const SkippedFile& skipped);

  /// Adds the next shard; its number is the count of shards added before it.
  [[nodiscard]] Result<void> Add(const ShardRow& shard);

  /// Adds a chunk; the row of its feature may be added later.
  [[nodiscard]] Result<void> Add(const ChunkRow& chunk);

  [[nodiscard]] Result<void> Add(const FeatureRow& feature);

  /// Adds the totals of the features in shard `shard`; there is no row for one without features.
  [[nodiscard]] Result<void> AddTotals(uint32_t shard, const FeatureTotals& totals);

  /// Removes the chunks of feature `feature`.
  [[nodiscard]] Result<void> DropChunks(uint32_t feature);

  /// Renumbers the chunks of feature `feature` to `number`, which must be unused.
  [[nodiscard]] Result<void> RenumberChunks(uint32_t feature, uint32_t number);

  /// Writes the totals of all shards again, with new numbers; without features that have none.
  [[nodiscard]] Result<void> RenumberTotals(const std::map<uint32_t, uint32_t>& numbers);

  /// Writes the facts, the generations and the checksums of all rows, and closes the file. If features were dropped,
  /// the whole file is written again, through a temporary file next to it. Errors: kIo.
  [[nodiscard]] Result<void> Finish(const DatasetFacts& facts);

 private:
  struct Statements {
    sqlite::Statement block;
    sqlite::Statement bad;
    sqlite::Statement damage;
    sqlite::Statement shard;
    sqlite::Statement chunk;
    sqlite::Statement feature;
    sqlite::Statement checkpoint;
    sqlite::Statement skipped;
    sqlite::Statement absence;
    sqlite::Statement totals;
  };

  CatalogWriter(sqlite::Database database, Statements statements)
      : database_(std::move(database)), statements_(std::move(statements)) {}

  [[nodiscard]] Result<void> CloseGapsOfChunks();

  sqlite::Database database_;
  std::optional<Statements> statements_;  // destroyed before the database closes
  RowHash hash_;
  uint32_t shards_ = 0;
};

}  // namespace ofindex
