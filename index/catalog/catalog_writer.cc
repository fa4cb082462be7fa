#include "index/catalog/catalog_writer.h"

#include <cassert>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/database/schema.h"

namespace ofindex {

Result<CatalogWriter> CatalogWriter::Create(const std::string& path) {
  OFINDEX_ASSIGN(sqlite::Database database, sqlite::Database::OpenForWriting(path, kPageBytes));
  const std::string setup = StrCat("PRAGMA application_id = ", kApplicationId,
                                   "; PRAGMA user_version = ", kFormatVersion, "; BEGIN;", kSchema);
  OFINDEX_TRY(database.Execute(setup.c_str()));
  OFINDEX_ASSIGN(sqlite::Statement block, database.Prepare("INSERT INTO block VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement bad, database.Prepare("INSERT INTO bad VALUES (?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement damage, database.Prepare("INSERT INTO damage VALUES (NULL, ?, ?, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement shard,
                 database.Prepare("INSERT INTO shard VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement chunk,
                 database.Prepare("INSERT INTO chunk VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement feature,
                 database.Prepare("INSERT INTO feature VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement checkpoint, database.Prepare("INSERT INTO checkpoint VALUES (?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement skipped, database.Prepare("INSERT INTO skipped VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement absence, database.Prepare("INSERT INTO absence VALUES (NULL, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement totals, database.Prepare("INSERT INTO shard_feature VALUES (?, ?, ?)"));
  return CatalogWriter(std::move(database), {std::move(block), std::move(bad), std::move(damage), std::move(shard),
                                             std::move(chunk), std::move(feature), std::move(checkpoint),
                                             std::move(skipped), std::move(absence), std::move(totals)});
}

Result<void> CatalogWriter::Add(const BlockRow& block) {
  const std::optional<ByteView> hashes = block.hashes.empty() ? std::nullopt : std::optional(ByteView(block.hashes));
  hash_.AddBlob(block.offsets);
  hashes ? hash_.AddBlob(*hashes) : hash_.AddNull();
  return statements_->block.Run(block.shard, block.first_record, block.records, block.begin, block.end, hash_.Take(),
                                ByteView(block.offsets), hashes);
}

Result<void> CatalogWriter::Add(const BadRow& bad) {
  return statements_->bad.Run(bad.record, bad.shard, bad.offset, Name(bad.reason));
}

Result<void> CatalogWriter::Add(const DamageRow& damage) {
  const DamagedRange& range = damage.range;
  const auto file = [&](uint64_t ByteRange::*end) {
    return range.file ? std::optional((*range.file).*end) : std::nullopt;
  };
  return statements_->damage.Run(damage.shard, range.begin, range.end, Name(range.reason), file(&ByteRange::begin),
                                 file(&ByteRange::end));
}

Result<void> CatalogWriter::Add(const CheckpointRow& checkpoint) {
  return statements_->checkpoint.Run(checkpoint.shard, checkpoint.position, checkpoint.bit,
                                     ByteView(checkpoint.window));
}

Result<void> CatalogWriter::Add(const AbsenceRow& absence) {
  return statements_->absence.Run(absence.shard, absence.since, absence.until);
}

Result<void> CatalogWriter::AddTotals(uint32_t shard, const FeatureTotals& totals) {
  if (totals.empty()) return {};
  const std::vector<uint8_t> bytes = TotalsBytes(totals);
  hash_.AddBlob(bytes);
  return statements_->totals.Run(shard, hash_.Take(), ByteView(bytes));
}

Result<void> CatalogWriter::Add(const SkippedFile& skipped) {
  const auto cell = [&](auto FileState::*field) {
    return skipped.state ? std::optional(static_cast<uint64_t>((*skipped.state).*field)) : std::nullopt;
  };
  return statements_->skipped.Run(std::string_view(skipped.path), std::string_view(skipped.reason), Name(skipped.kind),
                                  cell(&FileState::size), cell(&FileState::mtime_ns), cell(&FileState::ctime_ns),
                                  cell(&FileState::inode));
}

Result<void> CatalogWriter::Add(const ShardRow& shard) {
  return statements_->shard.Run(
      shards_++, std::string_view(shard.path), Name(shard.framing), Name(shard.compression), Name(shard.payload),
      shard.identity.size, shard.identity.mtime_ns, shard.identity.ctime_ns, shard.identity.inode,
      std::string_view(ToHex(shard.identity.fingerprint)), shard.file, shard.begin, shard.first_record, shard.records,
      shard.payload_bytes,
      shard.compression == Compression::kNone ? std::nullopt : std::optional(shard.inflated_bytes));
}

Result<void> CatalogWriter::Add(const ChunkRow& chunk) {
  hash_.AddBlob(chunk.data);
  return statements_->chunk.Run(chunk.feature, Name(chunk.role), chunk.block, chunk.nulls, chunk.nans, chunk.min,
                                chunk.max, hash_.Take(), ByteView(chunk.data));
}

Result<void> CatalogWriter::Add(const FeatureRow& feature) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? ColumnValue() : ColumnValue{.type = ColumnValue::Type::kText, .bytes = text};
  };
  const bool is_text = IsText(AsBytes(feature.name));
  const ColumnValue name{.type = is_text ? ColumnValue::Type::kText : ColumnValue::Type::kBlob, .bytes = feature.name};
  const std::string kinds = KindNames(feature.kinds);
  const std::optional<ByteView> sketch =
      feature.sketch.empty() ? std::nullopt : std::optional(ByteView(feature.sketch));
  return statements_->feature.Run(feature.feature, name, std::string_view(kinds), feature.present, feature.values,
                                  feature.values_min, feature.values_max, feature.single, feature.largest_bytes,
                                  feature.whole, text_or_null(feature.sql_value), text_or_null(feature.sql_count),
                                  text_or_null(feature.sql_size), text_or_null(feature.type), sketch);
}

Result<void> CatalogWriter::DropChunks(uint32_t feature) {
  OFINDEX_ASSIGN(sqlite::Statement drop, database_.Prepare("DELETE FROM chunk WHERE feature = ?"));
  return drop.Run(feature);
}

Result<void> CatalogWriter::RenumberChunks(uint32_t feature, uint32_t number) {
  OFINDEX_ASSIGN(sqlite::Statement renumber, database_.Prepare("UPDATE chunk SET feature = ? WHERE feature = ?"));
  return renumber.Run(number, feature);
}

Result<void> CatalogWriter::RenumberTotals(const std::map<uint32_t, uint32_t>& numbers) {
  std::vector<std::pair<uint32_t, FeatureTotals>> renumbered;
  {
    OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare("SELECT shard, features FROM shard_feature"));
    for (;;) {
      OFINDEX_ASSIGN(const bool row, rows.Next());
      if (!row) break;
      auto& [shard, totals] = renumbered.emplace_back(static_cast<uint32_t>(rows.Int(0)), FeatureTotals());
      const std::optional<FeatureTotals> written = ParseTotals(rows.Blob(1), UINT64_MAX);
      assert(written);
      for (const auto& [number, each] : *written) {
        if (const auto found = numbers.find(number); found != numbers.end()) totals.emplace(found->second, each);
      }
    }
  }
  OFINDEX_TRY(database_.Execute("DELETE FROM shard_feature"));
  for (const auto& [shard, totals] : renumbered) OFINDEX_TRY(AddTotals(shard, totals));
  return {};
}

// Numbers the chunks from 1 again, in their order.
Result<void> CatalogWriter::CloseGapsOfChunks() {
  std::vector<int64_t> numbers;
  {
    OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare("SELECT chunk FROM chunk ORDER BY chunk"));
    for (;;) {
      OFINDEX_ASSIGN(const bool row, rows.Next());
      if (!row) break;
      numbers.push_back(rows.Int(0));
    }
  }
  OFINDEX_ASSIGN(sqlite::Statement renumber, database_.Prepare("UPDATE chunk SET chunk = ? WHERE chunk = ?"));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<int64_t>(i + 1);
    if (numbers[i] != number) OFINDEX_TRY(renumber.Run(number, numbers[i]));
  }
  return {};
}

Result<void> CatalogWriter::Finish(const DatasetFacts& facts) {
  const std::string id = ToHex(facts.id);
  {
    OFINDEX_ASSIGN(sqlite::Statement fact, database_.Prepare("INSERT INTO dataset VALUES (?, ?)"));
    const auto text = [&](std::string_view key, std::string_view value) { return fact.Run(key, value); };
    const auto number = [&](std::string_view key, uint64_t value) { return fact.Run(key, value); };
    OFINDEX_TRY(text("checked", Name(facts.checked)));
    OFINDEX_TRY(text("columns", facts.columns));
    OFINDEX_TRY(text("compression", facts.compression));
    OFINDEX_TRY(number("data_bytes", facts.data_bytes));
    if (!facts.derive.empty()) OFINDEX_TRY(text("derive", facts.derive));
    OFINDEX_TRY(number("features_dropped", facts.features_dropped));
    OFINDEX_TRY(text("format", facts.format));
    OFINDEX_TRY(number("format_version", static_cast<uint64_t>(kFormatVersion)));
    OFINDEX_TRY(text("id", id));
    OFINDEX_TRY(text("message", facts.message));
    OFINDEX_TRY(number("ordinals", facts.ordinals));
    if (facts.part) OFINDEX_TRY(text("part", facts.part->Text()));
    OFINDEX_TRY(text("payload", facts.payload));
    OFINDEX_TRY(number("payload_bytes", facts.payload_bytes));
    OFINDEX_TRY(number("records", facts.records));
    OFINDEX_TRY(number("shards", shards_));
    OFINDEX_TRY(number("skipped", facts.skipped));
    OFINDEX_ASSIGN(sqlite::Statement source, database_.Prepare("INSERT INTO source VALUES (NULL, ?)"));
    for (const std::string& argument : facts.sources) OFINDEX_TRY(source.Run(std::string_view(argument)));
    OFINDEX_ASSIGN(sqlite::Statement generation, database_.Prepare("INSERT INTO generation VALUES (?, ?, ?)"));
    for (const GenerationRow& row : facts.earlier) {
      OFINDEX_TRY(generation.Run(row.number, row.records, std::string_view(row.fingerprint)));
    }
    OFINDEX_TRY(generation.Run(facts.before + 1, facts.ordinals, std::string_view(id)));
  }
  if (facts.features_dropped) OFINDEX_TRY(CloseGapsOfChunks());
  OFINDEX_TRY(SealRows(database_));
  OFINDEX_TRY(database_.Execute("COMMIT"));
  statements_.reset();
  // Pages that held dropped chunks are free now, and which ones they are depends on when the features were dropped.
  if (facts.features_dropped) OFINDEX_TRY(database_.Vacuum());
  return database_.Close();
}

}  // namespace ofindex
