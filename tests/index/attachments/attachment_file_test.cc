#include "index/attachments/attachment_file.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "index/attachments/attachment_writer.h"
#include "index/attachments/attachments_beside.h"
#include "index/catalog/paths.h"
#include "index/chunks/chunk.h"
#include "tests/index/built_set.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

const GenerationRow kAttachedTo{.number = 2, .records = 130, .fingerprint = std::string(32, 'a')};
const std::vector<AttachedBlock> kAttachedBlocks = {{0, 100}, {110, 20}};

AttachedColumn SomeColumn(const std::string& name, uint8_t kinds) {
  return {.name = name, .origin = {"scores.csv", "file", 86'400}, .kinds = kinds};
}

// Two columns: "score" in both blocks, "tag" in the second one alone.
void WriteAttachment(const std::string& path) {
  auto out = OutputFile::Create(path);
  REQUIRE(out);
  auto writer = AttachmentWriter::Begin(std::move(*out), kAttachedTo, kAttachedBlocks);
  REQUIRE(writer);
  ChunkBuilder builder;
  AttachedColumn score = SomeColumn("score", BitOf(FeatureKind::kDouble));
  writer->BeginColumn(score);
  for (uint64_t block = 1; block <= 2; ++block) {
    for (uint32_t r = 0; r < 20; ++r) builder.AddDouble(r, r * 0.5);
    ChunkRow row = builder.Encode(kAttachedBlocks[block - 1].records, &score.sketch);
    row.block = block;
    REQUIRE(writer->AddChunk(std::move(row)));
  }
  writer->EndColumn(score);
  writer->BeginColumn(SomeColumn("tag", kBytesKind));
  builder.AddBytes(3, AsBytes("cat"));
  ChunkRow row = builder.Encode(20);
  row.block = 2;
  REQUIRE(writer->AddChunk(std::move(row)));
  REQUIRE(writer->Finish());
}

// Returns all that can be read from a file, as text; or the first error's code.
Result<std::string> EverythingIn(const std::string& path) {
  OFINDEX_ASSIGN(const auto file, AttachmentFile::Open(path, AttachmentPlace::kBeside));
  std::string all = file->generation().fingerprint;
  for (const AttachedColumn& column : file->columns()) {
    all += column.name + column.origin.Text();
    for (const AttachedChunk& chunk : column.chunks) {
      OFINDEX_ASSIGN(const std::vector<uint8_t> data, file->Data(chunk));
      OFINDEX_ASSIGN(const Chunk decoded, Chunk::Decode(data, kAttachedBlocks[chunk.row.block - 1].records));
      for (uint32_t r = 0; r < decoded.records(); ++r) all += std::to_string(decoded.At(r).real);
    }
  }
  return all;
}

TEST_CASE("a file of attached columns gives what was written") {
  const TempDir folder;
  WriteAttachment(folder / "a");
  const auto file = AttachmentFile::Open(folder / "a", AttachmentPlace::kBeside);
  REQUIRE(file);
  CHECK((*file)->blocks() == kAttachedBlocks);
  REQUIRE((*file)->columns().size() == 2);
  const AttachedColumn& score = (*file)->columns()[0];
  CHECK(score.origin.Text() == "attached 1970-01-02 00:00:00 from scores.csv by file");
  CHECK(score.sketch.Estimate() == 20);
  REQUIRE(score.chunks.size() == 2);
  CHECK(score.chunks[0].row.nulls == 80);
  CHECK(score.chunks[1].row.max.real == 9.5);
  CHECK((*file)->columns()[1].chunks[0].row.block == 2);
}

TEST_CASE("a file of attached columns that was cut, or of which a byte changed, is an error or the same as before") {
  const TempDir folder;
  WriteAttachment(folder / "a");
  const std::string bytes = ReadFile(folder / "a");
  const auto whole = EverythingIn(folder / "a");
  REQUIRE(whole);
  const auto check = [&](const std::string& changed) {
    WriteFile(folder / "b", changed);
    const auto read = EverythingIn(folder / "b");
    if (read) {
      CHECK(*read == *whole);
    } else {
      const ErrorCode code = read.error().code;
      CHECK((code == ErrorCode::kIndex || code == ErrorCode::kStale));
      CHECK_FALSE(read.error().hint.empty());
    }
  };
  for (size_t size = 0; size < bytes.size(); size += 7) check(bytes.substr(0, size));
  for (size_t at = 0; at < bytes.size(); at += 3) check(WithFlippedBit(bytes, at, static_cast<int>(at % 8)));
}

TEST_CASE("a directory with numbers that do not fit is refused, whatever its checksum says") {
  AttachmentDirectory sound{.generation = kAttachedTo, .blocks = kAttachedBlocks, .columns = {SomeColumn("a", 2)}};
  sound.columns[0].chunks.push_back({.row = {.block = 2, .nulls = 5, .data = {}}, .at = 10, .bytes = 6});
  CHECK(AttachmentDirectory::Decode(sound.Encode(), 16));
  const auto refused = [&](const auto& change) {
    AttachmentDirectory changed = sound;
    change(changed);
    CHECK_FALSE(AttachmentDirectory::Decode(changed.Encode(), 16));
  };
  refused([](AttachmentDirectory& d) { d.columns[0].chunks[0].at = 11; });
  refused([](AttachmentDirectory& d) { d.columns[0].chunks[0].bytes = UINT64_MAX; });
  refused([](AttachmentDirectory& d) { d.columns[0].chunks[0].row.block = 3; });
  refused([](AttachmentDirectory& d) { d.columns[0].chunks[0].row.block = 0; });
  refused([](AttachmentDirectory& d) { d.columns[0].chunks[0].row.nulls = 21; });
  refused([](AttachmentDirectory& d) { d.columns[0].chunks[0].row.nans = 6; });
  refused([](AttachmentDirectory& d) { d.columns[0].chunks.push_back(d.columns[0].chunks[0]); });
  refused([](AttachmentDirectory& d) { d.columns[0].name.clear(); });
  refused([](AttachmentDirectory& d) { d.columns[0].origin.seconds = -1; });
  refused([](AttachmentDirectory& d) { d.columns.push_back(SomeColumn("A", 2)); });
  refused([](AttachmentDirectory& d) { d.blocks[1].first_record = 99; });
  refused([](AttachmentDirectory& d) { d.blocks[1].records = kBlockRecords + 1; });
  std::vector<uint8_t> cut = sound.Encode();
  cut.pop_back();
  CHECK_FALSE(AttachmentDirectory::Decode(cut, 16));
}

TEST_CASE("attached columns belong to their generation, and to later ones whose ordinals did not move") {
  const TempDir folder;
  WriteAttachment(folder / "a");
  const auto opened = AttachmentFile::Open(folder / "a", AttachmentPlace::kBeside);
  REQUIRE(opened);
  const AttachmentFile& file = **opened;
  const GenerationRow later{.number = 3, .records = 200, .fingerprint = std::string(32, 'b')};
  std::vector<AttachedBlock> grown = kAttachedBlocks;
  grown.push_back({130, 70});
  CHECK(file.CheckBelongs("x.ofidx", {kAttachedTo}, kAttachedBlocks));
  CHECK(file.CheckBelongs("x.ofidx", {kAttachedTo, later}, grown));
  const auto moved = file.CheckBelongs("x.ofidx", {later}, grown);  // as after a prune
  REQUIRE_FALSE(moved);
  CHECK(moved.error().code == ErrorCode::kStale);
  CHECK(moved.error().message.find("expected generation 3 with 200 ordinals") != std::string::npos);
  CHECK(moved.error().message.find("got generation 2 with 130 ordinals") != std::string::npos);
  CHECK_FALSE(file.CheckBelongs("x.ofidx", {kAttachedTo}, {{0, 100}}));
  CHECK_FALSE(file.CheckBelongs("x.ofidx", {kAttachedTo, later}, {{0, 100}, {110, 19}, {130, 70}}));
}

TEST_CASE("what a killed process left next to an index takes its place, or goes, but not what another version wrote") {
  const TempDir folder;
  const AttachedIndex index{
      .path = folder / "x.ofidx", .shown = "x.ofidx", .generations = {kAttachedTo}, .blocks = kAttachedBlocks};
  const std::string own = AttachedPathOf(index.path);
  const std::string next = NextAttachedPathOf(index.path);
  WriteAttachment(next);
  const std::string sound = ReadFile(next);
  REQUIRE(SettleBeside(index));
  CHECK(ReadFile(own) == sound);
  CHECK(FilesIn(folder.path()).size() == 1);

  for (const std::string& damaged : {sound.substr(0, sound.size() - 1), std::string("OFIDXATT"), std::string()}) {
    WriteFile(next, damaged);
    CHECK(SettleBeside(index));
    CHECK(ReadFile(own) == sound);
    CHECK(FilesIn(folder.path()).size() == 1);
  }

  SealedHeader header;
  std::string other = sound;
  auto* const bytes = reinterpret_cast<uint8_t*>(other.data());
  REQUIRE(header.Decode("OFIDXATT", bytes));
  ++header.version;
  header.Encode("OFIDXATT", bytes);
  for (const std::string& foreign : {other, std::string("notes of somebody")}) {
    WriteFile(next, foreign);
    const auto refused = SettleBeside(index);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kIndex);
    CHECK(ReadFile(next) == foreign);
  }
}

}  // namespace
}  // namespace ofindex
