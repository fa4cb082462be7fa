#include "index/catalog_writer.h"

#include <utility>

#include "base/text.h"
#include "index/schema.h"

namespace ofindex {

Result<CatalogWriter> CatalogWriter::Create(const std::string& path) {
  OFINDEX_ASSIGN(sqlite::Database database, sqlite::Database::OpenDraft(path, kPageBytes));
  const std::string setup = StrCat("PRAGMA application_id = ", kApplicationId,
                                   "; PRAGMA user_version = ", kFormatVersion, "; BEGIN;", kSchema);
  OFINDEX_TRY(database.Execute(setup.c_str()));
  OFINDEX_ASSIGN(sqlite::Statement block, database.Prepare("INSERT INTO block VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement bad, database.Prepare("INSERT INTO bad VALUES (?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement damage, database.Prepare("INSERT INTO damage VALUES (NULL, ?, ?, ?, ?)"));
  OFINDEX_ASSIGN(sqlite::Statement shard,
                 database.Prepare("INSERT INTO shard VALUES (?, ?, ?, 'none', ?, ?, ?, ?, ?, ?, ?)"));
  return CatalogWriter(std::move(database), {std::move(block), std::move(bad), std::move(damage), std::move(shard)});
}

Result<void> CatalogWriter::Add(const BlockRow& block) {
  const std::optional<ByteView> hashes = block.hashes.empty() ? std::nullopt : std::optional(ByteView(block.hashes));
  return statements_->block.Run(block.shard, block.first_record, block.records, block.begin, block.end,
                                ByteView(block.offsets), hashes);
}

Result<void> CatalogWriter::Add(const BadRow& bad) {
  return statements_->bad.Run(bad.record, bad.shard, bad.offset, Name(bad.reason));
}

Result<void> CatalogWriter::Add(const DamageRow& damage) {
  return statements_->damage.Run(damage.shard, damage.range.begin, damage.range.end, Name(damage.range.reason));
}

Result<void> CatalogWriter::Add(const ShardRow& shard) {
  return statements_->shard.Run(shards_++, std::string_view(shard.path), Name(shard.framing), Name(shard.payload),
                                shard.identity.size, shard.identity.mtime_ns,
                                std::string_view(ToHex(shard.identity.fingerprint)), shard.first_record, shard.records,
                                shard.payload_bytes);
}

Result<void> CatalogWriter::Finish(const DatasetFacts& facts) {
  const std::string id = ToHex(facts.id);
  {
    OFINDEX_ASSIGN(sqlite::Statement fact, database_.Prepare("INSERT INTO dataset VALUES (?, ?)"));
    const auto text = [&](std::string_view key, std::string_view value) { return fact.Run(key, value); };
    const auto number = [&](std::string_view key, uint64_t value) { return fact.Run(key, value); };
    OFINDEX_TRY(text("checked", Name(facts.checked)));
    OFINDEX_TRY(number("data_bytes", facts.data_bytes));
    OFINDEX_TRY(text("format", facts.format));
    OFINDEX_TRY(number("format_version", static_cast<uint64_t>(kFormatVersion)));
    OFINDEX_TRY(text("id", id));
    OFINDEX_TRY(text("payload", facts.payload));
    OFINDEX_TRY(number("payload_bytes", facts.payload_bytes));
    OFINDEX_TRY(number("records", facts.records));
    OFINDEX_TRY(text("rows_hash", ToHex(facts.rows_hash)));
    OFINDEX_TRY(number("shards", shards_));
    OFINDEX_ASSIGN(sqlite::Statement source, database_.Prepare("INSERT INTO source VALUES (NULL, ?)"));
    for (const std::string& argument : facts.sources) OFINDEX_TRY(source.Run(std::string_view(argument)));
    OFINDEX_ASSIGN(sqlite::Statement generation, database_.Prepare("INSERT INTO generation VALUES (1, ?, ?)"));
    OFINDEX_TRY(generation.Run(facts.records, std::string_view(id)));
  }
  OFINDEX_TRY(database_.Execute("COMMIT"));
  statements_.reset();
  return database_.Close();
}

}  // namespace ofindex
