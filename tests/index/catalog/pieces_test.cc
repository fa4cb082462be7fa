#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "index/catalog/catalog_reader.h"
#include "index/catalog/catalog_writer.h"
#include "mmap/offsets/packed_offsets.h"
#include "tests/index/forgery.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

// An index after updates: shards that have grown, that are missing, and that came back.

namespace ofindex {
namespace {

using Which = CatalogReader::Which;

ShardRow Piece(const std::string& path, uint32_t file, uint64_t begin, uint64_t records) {
  ShardRow row{.path = path, .framing = Framing::kTfRecord, .identity = {}, .records = records};
  row.identity.size = 1000 + static_cast<uint64_t>(path[0]);
  row.identity.fingerprint = static_cast<uint64_t>(path[0]);
  row.payload_bytes = 4 * records;
  row.file = file;
  row.begin = begin;
  if (path.ends_with(".gz")) {
    row.compression = Compression::kGzip;
    row.inflated_bytes = 5000;
  }
  return row;
}

// Shard b has grown; c is missing since generation 2, e.gz since 3; a was missing in generation 2.
std::vector<ShardRow> SomePieces() {
  std::vector<ShardRow> pieces = {Piece("b", 0, 0, 2),   Piece("c", 1, 0, 3),    Piece("a", 2, 0, 1),
                                  Piece("b", 0, 500, 2), Piece("d.gz", 4, 0, 1), Piece("e.gz", 5, 0, 1)};
  uint64_t ordinal = 0;
  for (ShardRow& piece : pieces) {
    piece.first_record = ordinal;
    ordinal += piece.records;
  }
  pieces[1].gone = 2;
  pieces[5].gone = 3;
  return pieces;
}

const std::vector<AbsenceRow> kAbsences = {
    {.shard = 1, .since = 2}, {.shard = 2, .since = 2, .until = 3}, {.shard = 5, .since = 3}};

FeatureTotals TotalsOfPiece(uint32_t piece) {
  FeatureRow row{.kinds = 2, .present = 1, .values = piece, .values_min = piece, .values_max = piece};
  return piece == 4 ? FeatureTotals() : FeatureTotals{{piece % 2, row}, {7, row}};
}

DatasetFacts FactsOf(const std::vector<ShardRow>& pieces) {
  DatasetFacts facts;
  for (size_t i = 0; i < pieces.size(); ++i) {
    facts.ordinals += pieces[i].records;
    if (pieces[i].is_gone()) continue;
    facts.records += pieces[i].records;
    facts.payload_bytes += pieces[i].payload_bytes;
    if (pieces[i].file == i) facts.data_bytes += pieces[i].identity.size;
  }
  facts.earlier = {{1, 6, std::string(32, '1')}, {2, 8, std::string(32, '2')}};
  facts.before = 2;
  return facts;
}

// Writes the index: each piece has one block, which begins where the piece does, a bad record and damage at its end.
void WriteIndex(const std::string& path, const std::vector<ShardRow>& pieces = SomePieces()) {
  WriteFile(path, "");
  Result<CatalogWriter> writer = CatalogWriter::Create(path);
  REQUIRE_MESSAGE(writer, writer.error().message);
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    const ShardRow& piece = pieces[i];
    std::vector<uint64_t> boundaries = {piece.begin};
    for (uint64_t record = 0; record < piece.records; ++record) boundaries.push_back(boundaries.back() + 20);
    REQUIRE(writer->Add(BlockRow{.shard = i,
                                 .first_record = piece.first_record,
                                 .records = static_cast<uint32_t>(piece.records),
                                 .begin = boundaries.front(),
                                 .end = boundaries.back(),
                                 .offsets = PackOffsets(boundaries)}));
    REQUIRE(writer->Add(BadRow{.record = piece.first_record, .shard = i, .offset = piece.begin}));
    REQUIRE(writer->Add(DamageRow{i, {boundaries.back(), boundaries.back() + 5, DamageReason::kTornTail}}));
    REQUIRE(writer->AddTotals(i, TotalsOfPiece(i)));
    if (piece.compression == Compression::kNone) continue;
    for (const uint64_t position : {uint64_t{0}, uint64_t{30} + i}) {
      REQUIRE(writer->Add(CheckpointRow{.shard = i, .position = position, .bit = 80, .window = {1, 2, 3}}));
    }
  }
  for (const AbsenceRow& absence : kAbsences) REQUIRE(writer->Add(absence));
  for (const ShardRow& piece : pieces) REQUIRE(writer->Add(piece));
  REQUIRE(writer->Finish(FactsOf(pieces)));
}

CatalogReader Opened(const std::string& path) {
  Result<CatalogReader> reader = CatalogReader::Open(path);
  REQUIRE_MESSAGE(reader, reader.error().message);
  return std::move(*reader);
}

template <typename T>
T Sound(Result<T> result) {
  REQUIRE_MESSAGE(result, result.error().message);
  return std::move(*result);
}

auto PieceFields(const ShardRow& row) {
  return std::tuple(row.path, row.first_record, row.records, row.payload_bytes, row.file, row.begin, row.gone,
                    row.inflated_bytes, row.identity.size);
}

TEST_CASE("pieces, absences and totals are read back as they were written") {
  const TempDir dir;
  WriteIndex(dir / "i");
  CatalogReader reader = Opened(dir / "i");
  CHECK(reader.CheckRows());
  CHECK(reader.facts().ordinals == 10);
  CHECK(reader.facts().records == 6);
  const auto pieces = Sound(reader.Pieces());
  REQUIRE(pieces.size() == SomePieces().size());
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    CHECK(PieceFields(pieces[i]) == PieceFields(SomePieces()[i]));
    CHECK(TotalsBytes(Sound(reader.TotalsOf(pieces[i], i))) == TotalsBytes(TotalsOfPiece(i)));
  }
  const auto absences = Sound(reader.Absences());
  REQUIRE(absences.size() == kAbsences.size());
  for (size_t i = 0; i < absences.size(); ++i) {
    CHECK(absences[i].shard == kAbsences[i].shard);
    CHECK(absences[i].since == kAbsences[i].since);
    CHECK(absences[i].until == kAbsences[i].until);
  }
  const auto generations = Sound(reader.Generations());
  REQUIRE(generations.size() == 3);
  CHECK(generations[0].records == 6);
  CHECK(generations[1].fingerprint == std::string(32, '2'));
  CHECK(generations[2].number == 3);
  CHECK(generations[2].records == 10);
}

TEST_CASE("shards are those that are there, each once, in natural order, with the totals of all their pieces") {
  const TempDir dir;
  WriteIndex(dir / "i");
  CatalogReader reader = Opened(dir / "i");
  const auto shards = Sound(reader.Shards());
  REQUIRE(shards.size() == 3);
  CHECK(shards[0].path == "a");
  CHECK(shards[1].path == "b");
  CHECK(shards[1].records == 4);
  CHECK(shards[1].payload_bytes == 16);
  CHECK(shards[1].first_record == 0);
  CHECK(shards[2].path == "d.gz");
}

// Shards and ordinals of blocks, bad records and damage.
using Numbers = std::vector<std::pair<uint32_t, uint64_t>>;

CatalogReader::VisitBlock AppendBlocksTo(Numbers& numbers) {
  return [&numbers](const BlockRow& block) -> Result<void> {
    numbers.emplace_back(block.shard, block.first_record);
    return {};
  };
}

TEST_CASE("blocks, bad records and damage are those of the shards that are there, or of all pieces") {
  const TempDir dir;
  WriteIndex(dir / "i");
  CatalogReader reader = Opened(dir / "i");
  const auto all_of = [&](Which which) {
    Numbers blocks, bad, damage;
    REQUIRE(reader.ForEachBlock(AppendBlocksTo(blocks), which));
    for (const BadRow& row : Sound(reader.Bad(which))) bad.emplace_back(row.shard, row.record);
    for (const DamageRow& row : Sound(reader.Damage(which))) damage.emplace_back(row.shard, row.range.begin);
    return std::tuple(blocks, bad, damage);
  };
  const Numbers there = {{1, 0}, {0, 5}, {1, 6}, {2, 8}};
  CHECK(all_of(Which::kThere) == std::tuple(there, there, Numbers{{0, 20}, {1, 40}, {1, 540}, {2, 20}}));
  const Numbers all = {{0, 0}, {1, 2}, {2, 5}, {3, 6}, {4, 8}, {5, 9}};
  CHECK(all_of(Which::kAll) == std::tuple(all, all, Numbers{{0, 40}, {1, 60}, {2, 20}, {3, 540}, {4, 20}, {5, 20}}));
  Numbers by_shard;
  REQUIRE(reader.ForEachBlockByShard(AppendBlocksTo(by_shard)));
  CHECK(by_shard == Numbers{{0, 5}, {1, 0}, {1, 6}, {2, 8}});
  CHECK(Sound(reader.ReadBlockMetadata()).size() == 6);
}

TEST_CASE("checkpoints are those of the shards that are there, or of all pieces") {
  const TempDir dir;
  WriteIndex(dir / "i");
  CatalogReader reader = Opened(dir / "i");
  const auto positions = [&](std::optional<uint32_t> shard, Which which) {
    Numbers found;
    REQUIRE(reader.ForEachCheckpoint(
        shard,
        [&](const CheckpointRow& row) -> Result<void> {
          found.emplace_back(row.shard, row.position);
          return {};
        },
        which));
    return found;
  };
  CHECK(positions({}, Which::kThere) == Numbers{{2, 0}, {2, 34}});
  CHECK(positions(2, Which::kThere) == Numbers{{2, 0}, {2, 34}});
  CHECK(positions(1, Which::kThere).empty());
  CHECK(positions({}, Which::kAll) == Numbers{{4, 0}, {4, 34}, {5, 0}, {5, 35}});
  CHECK(positions(5, Which::kAll) == Numbers{{5, 0}, {5, 35}});
}

TEST_CASE("an index in which every shard is missing has ordinals, and no shard, record or block") {
  const TempDir dir;
  std::vector<ShardRow> pieces = {Piece("c", 0, 0, 3), Piece("c", 0, 700, 2)};
  pieces[1].first_record = 3;
  for (ShardRow& piece : pieces) piece.gone = 2;
  WriteFile(dir / "i", "");
  CatalogWriter writer = Sound(CatalogWriter::Create(dir / "i"));
  for (uint32_t i = 0; i < 2; ++i) {
    const uint64_t begin = pieces[i].begin;
    std::vector<uint64_t> boundaries;
    for (uint64_t record = 0; record <= pieces[i].records; ++record) boundaries.push_back(begin + 20 * record);
    REQUIRE(writer.Add(BlockRow{.shard = i,
                                .first_record = pieces[i].first_record,
                                .records = static_cast<uint32_t>(pieces[i].records),
                                .begin = begin,
                                .end = boundaries.back(),
                                .offsets = PackOffsets(boundaries)}));
    REQUIRE(writer.Add(AbsenceRow{.shard = i, .since = 2}));
    REQUIRE(writer.Add(pieces[i]));
  }
  DatasetFacts facts;
  facts.ordinals = 5;
  facts.earlier = {{1, 5, std::string(32, '1')}};
  facts.before = 1;
  REQUIRE(writer.Finish(facts));
  CatalogReader reader = Opened(dir / "i");
  CHECK(Sound(reader.Shards()).empty());
  Numbers blocks;
  REQUIRE(reader.ForEachBlock(AppendBlocksTo(blocks)));
  REQUIRE(reader.ForEachBlockByShard(AppendBlocksTo(blocks)));
  CHECK(blocks.empty());
  CHECK(Sound(reader.Pieces()).size() == 2);
}

// Reads everything that depends on pieces. Returns the first error.
Result<void> ReadAllPieces(const std::string& path) {
  OFINDEX_ASSIGN(CatalogReader reader, CatalogReader::Open(path));
  OFINDEX_TRY(reader.CheckRows());
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, reader.Pieces());
  for (uint32_t i = 0; i < pieces.size(); ++i) OFINDEX_TRY(reader.TotalsOf(pieces[i], i));
  const auto no_block = [](const BlockRow&) -> Result<void> { return {}; };
  OFINDEX_TRY(reader.ForEachBlock(no_block));
  OFINDEX_TRY(reader.ForEachBlockByShard(no_block));
  OFINDEX_TRY(reader.Damage());
  OFINDEX_TRY(reader.Bad());
  return reader.ForEachCheckpoint(std::nullopt, [](const CheckpointRow&) -> Result<void> { return {}; });
}

struct ForgedRow {
  const char* what;
  Forgery forgery;
  const char* error;  // nullptr: the index is still one that an update could have written
};

const ForgedRow kForged[] = {
    {"nothing that matters", {"absence", "UPDATE absence SET since = since"}, nullptr},
    {"an absence that ends in the last generation",
     {"absence", "UPDATE absence SET \"until\" = 3 WHERE shard = 2"},
     {}},
    {"an absence of a shard that does not exist",
     {"absence", "UPDATE absence SET shard = 6 WHERE absence = 1"},
     "row 1 of table absence: expected one of 6 shards, and generations from 2 to 3, got shard 6 since 2"},
    {"an absence of shard -1",
     {"absence", "UPDATE absence SET shard = -1 WHERE absence = 1"},
     "row 1 of table absence"},
    {"an absence of a shard that is shard 1 in 32 bits",
     {"absence", "UPDATE absence SET shard = 4294967297 WHERE absence = 1"},
     "row 1 of table absence"},
    {"an absence since the build",
     {"absence", "UPDATE absence SET since = 1 WHERE absence = 1"},
     "row 1 of table absence"},
    {"an absence since generation 0",
     {"absence", "UPDATE absence SET since = 0 WHERE absence = 1"},
     "row 1 of table abs"},
    {"an absence since before",
     {"absence", "UPDATE absence SET since = -2 WHERE absence = 1"},
     "row 1 of table absence"},
    {"an absence since a later generation",
     {"absence", "UPDATE absence SET since = 4 WHERE absence = 1"},
     "row 1 of table absence"},
    {"an absence until the generation in which it begins",
     {"absence", "UPDATE absence SET \"until\" = 2 WHERE absence = 2"},
     "row 2 of table absence: expected one of 6 shards, and generations from 2 to 3, got shard 2 since 2 until 2"},
    {"an absence until a generation before",
     {"absence", "UPDATE absence SET \"until\" = 1 WHERE absence = 2"},
     "row 2 of"},
    {"an absence until generation -1", {"absence", "UPDATE absence SET \"until\" = -1 WHERE absence = 2"}, "row 2 of"},
    {"an absence until a later generation",
     {"absence", "UPDATE absence SET \"until\" = 4 WHERE absence = 2"},
     "row 2 of table absence"},
    {"two open absences of a shard",
     {"absence", "INSERT INTO absence VALUES (4, 1, 3, NULL)"},
     "shard 1 is missing twice at once"},
    {"an absence after an open one",
     {"absence", "INSERT INTO absence VALUES (4, 1, 2, 3)"},
     "shard 1 is missing twice"},
    {"an absence that begins in the one before",
     {"absence", "INSERT INTO absence VALUES (4, 2, 2, 3)"},
     "shard 2 is missing twice at once"},
    {"no absence of a shard that is missing", {"absence", "DELETE FROM absence WHERE absence = 1"}, "do not add up"},
    {"an absence of a shard that is there", {"absence", "INSERT INTO absence VALUES (4, 4, 3, NULL)"}, "do not add up"},
    {"an absence of a first piece alone",
     {"absence", "INSERT INTO absence VALUES (4, 0, 3, NULL)"},
     "is of another file"},
    {"an absence of a later piece alone",
     {"absence", "INSERT INTO absence VALUES (4, 3, 3, NULL)"},
     "is of another file"},
    {"an absence until a text",
     {"absence", "UPDATE absence SET \"until\" = 'x' WHERE absence = 2"},
     "row 2 of table abs"},
    {"a piece with another path",
     {"shard", "UPDATE shard SET path = 'x' WHERE shard = 3"},
     "shard 0 is of another file"},
    {"a piece with another size",
     {"shard", "UPDATE shard SET size = 9999 WHERE shard = 3"},
     "shard 0 is of another file"},
    {"a piece with another time",
     {"shard", "UPDATE shard SET mtime_ns = 9 WHERE shard = 3"},
     "shard 0 is of another file"},
    {"a piece with another fingerprint",
     {"shard", "UPDATE shard SET fingerprint = '0123456789abcdef' WHERE shard = 3"},
     "a piece of shard 0 is of another file"},
    {"a piece of another format",
     {"shard", "UPDATE shard SET format = 'ofrecord' WHERE shard = 3"},
     "a piece of shard 0 is of another file"},
    {"a piece of another payload",
     {"shard", "UPDATE shard SET payload = 'example' WHERE shard = 3"},
     "a piece of shard 0 is of another file"},
    {"a piece of another compression",
     {"shard", "UPDATE shard SET compression = 'gzip', inflated_bytes = 5000 WHERE shard = 3"},
     "a piece of shard 0 is of another file"},
    {"a piece of another shard",
     {"shard", "UPDATE shard SET file = 2 WHERE shard = 3"},
     "a piece of shard 2 is of another"},
    {"a piece of itself that begins in the middle",
     {"shard", "UPDATE shard SET file = 3 WHERE shard = 3"},
     "impossible row"},
    {"a piece of a later piece",
     {"shard", "UPDATE shard SET file = 3 WHERE shard = 2"},
     "shard 2 has an impossible row"},
    {"a piece of a piece that is not the first",
     {"shard", "UPDATE shard SET file = 3 WHERE shard = 4"},
     "shard 4 has an impossible row"},
    {"a piece of a shard that does not exist",
     {"shard", "UPDATE shard SET file = 6 WHERE shard = 3"},
     "impossible row"},
    {"a piece of shard -1", {"shard", "UPDATE shard SET file = -1 WHERE shard = 3"}, "shard 3 has an impossible row"},
    {"a piece of shard 0 in 32 bits",
     {"shard", "UPDATE shard SET file = 4294967296 WHERE shard = 3"},
     "impossible row"},
    {"a piece that begins before the file",
     {"shard", "UPDATE shard SET \"begin\" = -1 WHERE shard = 3"},
     "impossible row"},
    {"a piece that begins after its block",
     {"shard", "UPDATE shard SET \"begin\" = 501 WHERE shard = 3"},
     "the block at"},
    {"a first piece that begins in the middle",
     {"shard", "UPDATE shard SET \"begin\" = 1 WHERE shard = 2"},
     "impossible row"},
    {"more ordinals than those of the pieces",
     {"dataset", "UPDATE dataset SET value = 11 WHERE key = 'ordinals'"},
     "expected the records and the id of the dataset"},
    {"records that are gone", {"dataset", "UPDATE dataset SET value = 10 WHERE key = 'records'"}, "do not add up"},
    {"a generation with more ordinals",
     {"generation", "UPDATE generation SET records = 11 WHERE number = 2"},
     "generation 2"},
    {"a generation with fewer ordinals",
     {"generation", "UPDATE generation SET records = 5 WHERE number = 2"},
     "generation 2"},
    {"generation 0",
     {"generation", "UPDATE generation SET number = 0 WHERE number = 1"},
     "generation 0: no such number"},
    {"a generation after which none fits",
     {"generation", "UPDATE generation SET number = 9223372036854775807 WHERE number = 3"},
     "generation 9223372036854775807: no such number"},
    {"no generation that an absence names",
     {"generation", "DELETE FROM generation WHERE number < 3; UPDATE generation SET number = 2"},
     "row 2 of table absence: expected one of 6 shards, and generations from 2 to 2, got shard 2 since 2 until 3"},
    {"no last generation", {"generation", "DELETE FROM generation WHERE number = 3"}, "generation 2: expected"},
    {"totals of no features", {"shard_feature", "UPDATE shard_feature SET features = x'' WHERE shard = 1"}, nullptr},
    {"totals that end early",
     {"shard_feature", "UPDATE shard_feature SET features = substr(features, 1, length(features) - 1) WHERE shard = 1"},
     "row 1 of table shard_feature"},
    {"totals that end late",
     {"shard_feature", "UPDATE shard_feature SET features = features || x'00' WHERE shard = 5"},
     "row 5 of table shard_feature"},
    {"totals of more records than the shard has",
     {"shard_feature", "UPDATE shard_feature SET features = x'0002040101010000' WHERE shard = 1"},
     "row 1 of table shard_feature"},
    {"totals of as many records",
     {"shard_feature", "UPDATE shard_feature SET features = x'0002030101010000' WHERE shard = 1"},
     nullptr},
    {"totals that are a text",
     {"shard_feature", "UPDATE shard_feature SET features = '1' WHERE shard = 1"},
     "shard_feature"},
};

TEST_CASE("an index whose pieces, absences, generations or totals were forged is refused, with what is wrong") {
  const TempDir dir;
  WriteIndex(dir / "sound");
  const std::string sound = ReadFile(dir / "sound");
  REQUIRE(ReadAllPieces(dir / "sound"));
  for (const ForgedRow& row : kForged) {
    CAPTURE(row.what);
    const std::string path = dir / "i";
    WriteFile(path, sound);
    Forge(path, row.forgery, Checksums::kMadeAnew);
    const Result<void> read = ReadAllPieces(path);
    if (row.error == nullptr) {
      CHECK_MESSAGE(read, read.error().message);
      continue;
    }
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::kIndex);
    CHECK_MESSAGE(read.error().message.find(row.error) != std::string::npos, read.error().message);
    CHECK(read.error().message.starts_with(path));
    CHECK(read.error().hint.text().find("--force") != std::string::npos);
  }
}

TEST_CASE("an index with any cell of its pieces, absences or totals changed is refused unless its checksums are too") {
  const TempDir dir;
  WriteIndex(dir / "sound");
  const std::string sound = ReadFile(dir / "sound");
  int tried = 0;
  for (const Forgery& forgery : AllForgeries(dir / "sound")) {
    if (forgery.table != "absence" && forgery.table != "shard_feature" &&
        forgery.sql.find("file") == std::string::npos) {
      continue;
    }
    CAPTURE(forgery.sql);
    const std::string path = dir / "i";
    WriteFile(path, sound);
    if (!Forge(path, forgery)) continue;
    const Result<void> read = ReadAllPieces(path);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::kIndex);
    ++tried;
    // With other checksums it may be read, but not end the program.
    WriteFile(path, sound);
    Forge(path, forgery, Checksums::kMadeAnew);
    static_cast<void>(ReadAllPieces(path));
  }
  CHECK(tried > 150);
}

}  // namespace
}  // namespace ofindex
