#include "mmap/sealed/sealed_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mmap/sealed/sealed_writer.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

const SealedKind kSealedKind{.magic = "OFIDXTST", .version = 3, .noun = "a test file", .hint = "make it again"};
const IndexOrigin kSealedOrigin{.id = {1, 2, 3}, .binding = 77, .generation = 2};

// Random sections, of which the second spans several blocks of checksums.
std::vector<std::string> SomeSections(std::vector<size_t> sizes) {
  std::mt19937_64 random(5);
  std::vector<std::string> sections;
  for (const size_t bytes : sizes) {
    std::string& section = sections.emplace_back(bytes, '\0');
    for (char& c : section) c = static_cast<char>(random());
  }
  return sections;
}

void WriteSealed(const std::string& path, const std::vector<std::string>& sections) {
  auto out = OutputFile::Create(path);
  REQUIRE(out);
  auto writer = SealedWriter::Begin(std::move(*out));
  REQUIRE(writer);
  for (const std::string& section : sections) {
    REQUIRE(writer->BeginSection());
    const size_t half = section.size() / 2;
    REQUIRE(writer->Append(AsBytes(section).first(half)));
    REQUIRE(writer->Append(AsBytes(section).subspan(half)));
  }
  REQUIRE(writer->Finish(kSealedKind, kSealedOrigin));
}

SealedFile OpenedSealed(const std::string& path) {
  auto file = SealedFile::Open(path, kSealedKind);
  REQUIRE_MESSAGE(file, file.error().message);
  return std::move(*file);
}

Result<std::string> SectionOf(const SealedFile& file, uint32_t section) {
  std::string bytes(file.section_bytes(section), '\0');
  OFINDEX_TRY(file.Copy(section, 0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()}));
  return bytes;
}

TEST_CASE("a sealed file gives the sections that were written, and the index that it belongs to") {
  const TempDir folder;
  for (const std::vector<size_t>& sizes :
       {std::vector<size_t>{}, {0}, {1}, {100, 0, 7}, {64, 200'000, 1}, {1, 40'000'000}}) {
    const std::vector<std::string> sections = SomeSections(sizes);
    WriteSealed(folder / "f", sections);
    const SealedFile file = OpenedSealed(folder / "f");
    REQUIRE(file.sections() == sections.size());
    CHECK(file.size() == std::filesystem::file_size(folder / "f"));
    CHECK(file.origin() == kSealedOrigin);
    for (uint32_t i = 0; i < sections.size(); ++i) {
      REQUIRE(file.section_bytes(i) == sections[i].size());
      const auto read = SectionOf(file, i);
      REQUIRE_MESSAGE(read, read.error().message);
      CHECK(*read == sections[i]);
      uint8_t beyond = 0;
      CHECK(file.Copy(i, sections[i].size(), {&beyond, 1}).error().code == ErrorCode::kIndex);
    }
    CHECK(file.CheckAll());
  }
}

TEST_CASE("a sealed file cut anywhere, or longer, does not open") {
  const TempDir folder;
  WriteSealed(folder / "f", SomeSections({50, 70}));
  const std::string whole = ReadFile(folder / "f");
  for (size_t size = 0; size < whole.size(); ++size) {
    WriteFile(folder / "cut", whole.substr(0, size));
    const auto file = SealedFile::Open(folder / "cut", kSealedKind);
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::kIndex);
  }
  WriteFile(folder / "cut", whole + "x");
  CHECK_FALSE(SealedFile::Open(folder / "cut", kSealedKind));
}

TEST_CASE("a flipped bit in any byte of a sealed file is an error when it is read, and found by a check") {
  const TempDir folder;
  const std::vector<std::string> sections = SomeSections({50, 70});
  WriteSealed(folder / "f", sections);
  const std::string whole = ReadFile(folder / "f");
  for (size_t at = 0; at < whole.size(); ++at) {
    WriteFile(folder / std::to_string(at), WithFlippedBit(whole, at, static_cast<int>(at % 8)));
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    const auto file = SealedFile::Open(folder / std::to_string(at), kSealedKind);
    if (!file) continue;
    REQUIRE(at >= kSealedHeaderBytes);
    CHECK(SectionOf(*file, 0).error().code == ErrorCode::kIndex);
    const auto checked = file->CheckAll();
    REQUIRE_FALSE(checked);
    CHECK(checked.error().message.find("@256: these bytes differ") != std::string::npos);
  }
}

/// Returns the header of a sealed file.
SealedHeader SealedHeaderOf(const std::string& bytes) {
  SealedHeader header;
  REQUIRE(header.Decode(kSealedKind.magic, reinterpret_cast<const uint8_t*>(bytes.data())));
  return header;
}

TEST_CASE("a sealed file with a section outside its body, or at an odd place, does not open, even if checksums match") {
  const TempDir folder;
  WriteSealed(folder / "f", SomeSections({50, 70}));
  const std::string whole = ReadFile(folder / "f");
  const SealedHeader sound = SealedHeaderOf(whole);
  struct Row {
    const char* what;
    uint64_t at;
    uint64_t bytes;
    bool opens;
  };
  const uint64_t at = sound.section[1].at;
  const uint64_t most = sound.checks_at() - at;
  for (const Row& row : {Row{"up to the checksums", at, most, true}, Row{"into the checksums", at, most + 1, false},
                         Row{"in the header", 192, 1, false}, Row{"not aligned", at + 1, 1, false},
                         Row{"of any size", at, UINT64_MAX, false}}) {
    CAPTURE(row.what);
    SealedHeader header = sound;
    header.section[1].at = row.at;
    header.section[1].bytes = row.bytes;
    std::string bytes = whole;
    header.Encode(kSealedKind.magic, reinterpret_cast<uint8_t*>(bytes.data()));
    WriteFile(folder / "f", bytes);
    CHECK(SealedFile::Open(folder / "f", kSealedKind).has_value() == row.opens);
  }
}

TEST_CASE("bytes that were changed together with their checksum are noticed") {
  const TempDir folder;
  WriteSealed(folder / "f", SomeSections({50, 70}));
  std::string bytes = WithFlippedBit(ReadFile(folder / "f"), kSealedHeaderBytes + 3, 1);
  const SealedHeader header = SealedHeaderOf(bytes);
  const uint64_t sum = Xxh3(AsBytes(bytes).subspan(kSealedHeaderBytes, header.body_bytes));
  StoreLe64(reinterpret_cast<uint8_t*>(bytes.data()) + header.checks_at(), sum);
  WriteFile(folder / "f", bytes);
  const SealedFile file = OpenedSealed(folder / "f");
  CHECK(SectionOf(file, 0).error().code == ErrorCode::kIndex);
  CHECK_FALSE(file.CheckAll());
}

TEST_CASE("a sealed file that is rewritten or truncated under its reader gives the bytes of before, or an error") {
  const TempDir folder;
  const std::vector<std::string> sections = SomeSections({50'000});
  WriteSealed(folder / "f", sections);
  const std::string whole = ReadFile(folder / "f");
  const SealedFile file = OpenedSealed(folder / "f");
  REQUIRE(SectionOf(file, 0).value() == sections[0]);
  FlipBit(folder / "f", 30'000, 2);
  CHECK(SectionOf(file, 0).error().code == ErrorCode::kIndex);
  WriteFile(folder / "f", whole);
  CHECK(SectionOf(file, 0).value() == sections[0]);
  TruncateTo(folder / "f", 20'000);
  CHECK(SectionOf(file, 0).error().code == ErrorCode::kStale);
  CHECK(file.CheckAll().error().code == ErrorCode::kStale);
  WriteSealed(folder / "other", SomeSections({1, 2}));
  WriteFile(folder / "f", ReadFile(folder / "other"));
  CHECK(SectionOf(file, 0).error().code == ErrorCode::kStale);
  WriteFile(folder / "f", whole);
  ReplaceFile(folder / "f", "another file");
  CHECK(SectionOf(file, 0).value() == sections[0]);
}

TEST_CASE("a sealed file of another kind, version, dataset, generation or build is refused with what differs") {
  const TempDir folder;
  WriteSealed(folder / "f", SomeSections({5}));
  const auto message = [&](const auto& result) {
    REQUIRE_FALSE(result);
    CHECK_FALSE(result.error().hint.empty());
    return result.error().message.substr(result.error().message.find(": ") + 2);
  };
  SealedKind kind = kSealedKind;
  kind.version = 4;
  CHECK(message(SealedFile::Open(folder / "f", kind)) == "a test file of another version; expected 4, got 3");
  kind.magic = "OFIDXXXX";
  CHECK(message(SealedFile::Open(folder / "f", kind)) == "not a test file, or truncated to 256 bytes");
  CHECK(message(SealedFile::Open(folder / "none", kSealedKind)) == "no such file; expected a test file");
  const SealedFile file = OpenedSealed(folder / "f");
  CHECK(file.CheckOrigin(kSealedOrigin, "d.ofidx"));
  IndexOrigin index = kSealedOrigin;
  index.binding = 78;
  CHECK(message(file.CheckOrigin(index, "d.ofidx")) == "a test file made for another build of d.ofidx");
  index.id[0] = 9;
  CHECK(message(file.CheckOrigin(index, "d.ofidx")) ==
        "a test file made for another dataset, with id 0102030000000000; expected 0902030000000000, that of d.ofidx");
  index.generation = 3;
  CHECK(message(file.CheckOrigin(index, "d.ofidx")) ==
        "a test file made for generation 2 of an index; expected generation 3, that of d.ofidx");
}

}  // namespace
}  // namespace ofindex
