#include "index/shards/detect.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "mmap/inflate/compression_header.h"
#include "tests/index/walking.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/compressed_bytes.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

using Verdict = Detection::Verdict;

Detection DetectFile(const std::string& path, const FormatChoice& choice = {}) {
  const File file = OpenFile(path);
  const Result<FileFacts> facts = file.Facts();
  REQUIRE(facts.has_value());
  const Result<Detection> detection = DetectShard(file, facts->size, choice);
  REQUIRE(detection.has_value());
  return *detection;
}

Detection DetectBytes(const std::string& bytes, const FormatChoice& choice = {}) {
  const TempDir dir;
  WriteFile(dir / "shard", bytes);
  return DetectFile(dir / "shard", choice);
}

std::string ImageExample(std::string_view value) { return Field(1, Entry("image", Field(1, BytesList({value})))); }
std::string OfRecord(std::string_view value) { return Entry("image", Field(1, BytesList({value}))); }
std::string SequenceExample() { return Field(2, Entry("steps", Field(1, Field(1, BytesList({"one"}))))); }

// Returns an OFRecord message of exactly `size` bytes.
std::string OfRecordOf(size_t size) {
  std::string message = OfRecord(std::string(size - 40, 'p'));
  message += OfRecord(std::string(size - message.size() - OfRecord("").size(), 'p'));
  REQUIRE(message.size() == size);
  return message;
}

TEST_CASE("a shard is recognised by its content") {
  struct Row {
    std::string what;
    std::string bytes;
    Verdict verdict;
    Framing framing;
    PayloadKind payload;
  };
  const std::string example = ImageExample("one");
  const std::string of_record = OfRecord("one");
  const std::string elwc = Field(1, ImageExample("a")) + Field(1, ImageExample("b")) + Field(2, ImageExample("c"));
  std::mt19937_64 random(5);
  const std::vector<Row> rows = {
      {"nothing", "", Verdict::kRecords, Framing::kEmpty, PayloadKind::kOpaque},
      {"Examples", ShardBytes(kTf, {example, example}), Verdict::kRecords, kTf, PayloadKind::kExample},
      {"an Example among empty ones", ShardBytes(kTf, {"", example, ""}), Verdict::kRecords, kTf,
       PayloadKind::kExample},
      {"SequenceExamples", ShardBytes(kTf, {example, SequenceExample()}), Verdict::kRecords, kTf,
       PayloadKind::kSequenceExample},
      {"text", ShardBytes(kTf, {"hello world"}), Verdict::kRecords, kTf, PayloadKind::kOpaque},
      {"another message", ShardBytes(kTf, {elwc}), Verdict::kRecords, kTf, PayloadKind::kOpaque},
      {"empty TFRecords", ShardBytes(kTf, {"", ""}), Verdict::kRecords, kTf, PayloadKind::kOpaque},
      {"OFRecords", ShardBytes(kOf, {of_record, of_record}), Verdict::kRecords, kOf, PayloadKind::kOfRecord},
      {"Examples framed as OFRecords", ShardBytes(kOf, {example}), Verdict::kRecords, kOf, PayloadKind::kExample},
      {"OFRecords framed as TFRecords", ShardBytes(kTf, {of_record}), Verdict::kRecords, kTf, PayloadKind::kOfRecord},
      // Truncated shards: TFRecords need only the first header, OFRecords one whole record.
      {"TFRecords, truncated in the first payload", ShardBytes(kTf, {example}).substr(0, 15), Verdict::kRecords, kTf,
       PayloadKind::kOpaque},
      {"the first header of TFRecords", ShardBytes(kTf, {example}).substr(0, 12), Verdict::kRecords, kTf,
       PayloadKind::kOpaque},
      {"half of the first header of TFRecords", ShardBytes(kTf, {example}).substr(0, 11), Verdict::kUnknown,
       Framing::kEmpty, PayloadKind::kOpaque},
      {"OFRecords, truncated in the second record", ShardBytes(kOf, {of_record, of_record}).substr(0, 50),
       Verdict::kRecords, kOf, PayloadKind::kOfRecord},
      {"OFRecords, truncated in the first record", ShardBytes(kOf, {of_record}).substr(0, 20), Verdict::kUnknown,
       Framing::kEmpty, PayloadKind::kOpaque},
      // Lengths alone prove nothing.
      {"length-prefixed text", ShardBytes(kOf, {"hello", "world"}), Verdict::kLengthPrefixed, Framing::kEmpty,
       PayloadKind::kOpaque},
      {"zeros", std::string(4096, '\0'), Verdict::kLengthPrefixed, Framing::kEmpty, PayloadKind::kOpaque},
      {"few zeros", std::string(7, '\0'), Verdict::kUnknown, Framing::kEmpty, PayloadKind::kOpaque},
      // Other files.
      {"text", "to be or not to be, that is the question", Verdict::kUnknown, Framing::kEmpty, PayloadKind::kOpaque},
      {"a Git-LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", Verdict::kLfsPointer,
       Framing::kEmpty, PayloadKind::kOpaque},
      {"one byte", "x", Verdict::kUnknown, Framing::kEmpty, PayloadKind::kOpaque},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Detection detection = DetectBytes(row.bytes);
    CHECK(detection.verdict == row.verdict);
    CHECK(detection.framing == row.framing);
    CHECK(detection.payload == row.payload);
  }
}

TEST_CASE("compressed shards are recognised without regard to their names") {
  const std::string tf = ShardBytes(kTf, {ImageExample("one"), ImageExample("two")});
  const std::string of = ShardBytes(kOf, {OfRecord("one"), OfRecord("two")});
  struct Row {
    std::string bytes;
    Compression compression;
    Framing framing;
    PayloadKind payload;
  };
  const std::string large = ShardBytes(kTf, {ImageExample(std::string(3 << 20, 'x')), ImageExample("two")});
  const std::vector<Row> rows = {
      {Compressed(Compression::kGzip, tf), Compression::kGzip, kTf, PayloadKind::kExample},
      {Compressed(Compression::kZlib, tf), Compression::kZlib, kTf, PayloadKind::kExample},
      {Compressed(Compression::kGzip, of), Compression::kGzip, kOf, PayloadKind::kOfRecord},
      {Compressed(Compression::kZlib, of), Compression::kZlib, kOf, PayloadKind::kOfRecord},
      // Truncated inside the first record, and followed by another stream.
      {Compressed(Compression::kGzip, tf).substr(0, 40), Compression::kGzip, kTf, PayloadKind::kOpaque},
      {Compressed(Compression::kGzip, tf) + Compressed(Compression::kGzip, tf), Compression::kGzip, kTf,
       PayloadKind::kExample},
      // A first record that is larger than the bytes examined at first.
      {Compressed(Compression::kGzip, large), Compression::kGzip, kTf, PayloadKind::kExample},
      // No record at all.
      {Compressed(Compression::kGzip, ""), Compression::kGzip, Framing::kEmpty, PayloadKind::kOpaque},
  };
  for (const Row& row : rows) {
    const Detection detection = DetectBytes(row.bytes);
    CHECK(detection.verdict == Verdict::kRecords);
    CHECK(detection.compression == row.compression);
    CHECK(detection.framing == row.framing);
    CHECK(detection.payload == row.payload);
    // They are not read as plain records even if the caller says that they are not compressed.
    CHECK(DetectBytes(row.bytes, {.compression = Compression::kNone}).verdict != Verdict::kRecords);
  }
  const std::string bare = Compressed(Compression::kDeflate, tf);
  CHECK(DetectBytes(bare).verdict != Verdict::kRecords);
  CHECK(DetectBytes(bare, {.compression = Compression::kDeflate}).framing == kTf);
  CHECK(DetectBytes(tf, {.compression = Compression::kDeflate}).verdict == Verdict::kUnknown);
  CHECK(DetectBytes(Compressed(Compression::kGzip, "no records in it, but text")).verdict == Verdict::kUnknown);
}

TEST_CASE("an OFRecord whose first length looks like a compressed stream is an OFRecord") {
  // 78 9c 00 ... as zlib, and 1f 8b 08 00 ... as gzip (formats: B.2).
  for (const size_t length : {size_t{40'056}, size_t{559'903}}) {
    CAPTURE(length);
    const std::string shard = ShardBytes(kOf, {OfRecordOf(length), OfRecord("two")});
    CHECK(CompressionHeader(AsBytes(shard)).has_value());
    const Detection detection = DetectBytes(shard);
    CHECK(detection.verdict == Verdict::kRecords);
    CHECK(detection.framing == kOf);
    CHECK(detection.payload == PayloadKind::kOfRecord);
  }
}

TEST_CASE("a first record larger than the examined bytes still determines the payload kind") {
  const std::string large(300 << 10, 'p');
  CHECK(DetectBytes(ShardBytes(kTf, {ImageExample(large), "x"})).payload == PayloadKind::kExample);
  const Detection of = DetectBytes(ShardBytes(kOf, {OfRecord(large), OfRecord(large)}));
  CHECK(of.verdict == Verdict::kRecords);
  CHECK(of.payload == PayloadKind::kOfRecord);
  CHECK(of.mean_record_bytes == 8 + OfRecord(large).size());
  CHECK(DetectBytes(ShardBytes(kOf, {large, large})).verdict == Verdict::kLengthPrefixed);
}

TEST_CASE("a given format is trusted, and so is a given payload kind") {
  const std::string text = ShardBytes(kOf, {"hello", "world"});
  const Detection forced = DetectBytes(text, {.framing = kOf, .payload = std::nullopt});
  CHECK(forced.verdict == Verdict::kRecords);
  CHECK(forced.framing == kOf);
  CHECK(forced.payload == PayloadKind::kOpaque);
  const Detection as_tf = DetectBytes(text, {.framing = kTf, .payload = PayloadKind::kExample});
  CHECK(as_tf.framing == kTf);
  CHECK(as_tf.payload == PayloadKind::kExample);
  const Detection tf = DetectBytes(ShardBytes(kTf, {ImageExample("one")}), {.framing = kOf, .payload = std::nullopt});
  CHECK(tf.framing == kOf);
  CHECK(DetectBytes("", {.framing = kOf, .payload = std::nullopt}).framing == Framing::kEmpty);
}

TEST_CASE("random bytes are never recognised as records") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 1500; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() & 0xff);
    // Half of them begin with a length that fits, as in a file of many small numbers.
    if (i % 2 == 0 && bytes.size() > 8) bytes.replace(0, 8, Le64(random() % bytes.size()));
    const Verdict verdict = DetectBytes(bytes).verdict;
    CHECK((verdict == Verdict::kUnknown || verdict == Verdict::kLengthPrefixed || bytes.empty()));
  }
}

TEST_CASE("a shard cut at any byte is never taken for another format") {
  for (const Framing framing : {kTf, kOf}) {
    const std::string record = framing == kTf ? ImageExample("some value") : OfRecord("some value");
    const std::string shard = ShardBytes(framing, {record, "", record});
    for (size_t size = 1; size < shard.size(); ++size) {
      const Detection detection = DetectBytes(shard.substr(0, size));
      CAPTURE(size);
      if (detection.verdict == Verdict::kRecords) CHECK(detection.framing == framing);
      if (size >= HeaderOf(framing, 0).size() + record.size() + 4) CHECK(detection.verdict == Verdict::kRecords);
    }
  }
}

// Returns the rows of a MANIFEST, each keyed by column names.
std::vector<std::map<std::string, std::string>> ReadManifest(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.is_open());
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
    return cells;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line);
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < std::min(names.size(), cells.size()); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

PayloadKind KindOf(const std::string& message) {
  if (message == "tensorflow.Example") return PayloadKind::kExample;
  if (message == "tensorflow.SequenceExample") return PayloadKind::kSequenceExample;
  if (message == "oneflow.OFRecord") return PayloadKind::kOfRecord;
  return PayloadKind::kOpaque;
}

TEST_CASE("that a chosen framing is right is proven by records with bytes only") {
  for (const Framing framing : {kOf, kTf}) {
    CHECK(DetectBytes(ShardBytes(framing, {"ab", ""}), {.framing = framing}).proven);
  }
  const Detection zeros = DetectBytes(ShardBytes(kOf, {"", "", ""}), {.framing = kOf});
  CHECK(zeros.verdict == Verdict::kRecords);
  CHECK_FALSE(zeros.proven);
}

TEST_CASE("every fixture matches its manifest in format, records and bytes") {
  const std::optional<std::string> fixtures = FixturesOrMessage();
  if (!fixtures) return;
  for (const std::string folder : {"/real/", "/derived/"}) {
    for (auto& row : ReadManifest(*fixtures + folder + "MANIFEST.tsv")) {
      const std::string path = *fixtures + folder + row["file"];
      CAPTURE(path);
      const Detection detection = DetectFile(path);
      if (row["format"] == "DALI-idx text") {
        CHECK(detection.verdict == Verdict::kUnknown);
        continue;
      }
      CHECK(detection.framing == (row["format"] == "TFRecord" ? kTf : kOf));
      CHECK(detection.verdict == Verdict::kRecords);
      CHECK(Name(detection.compression) == row["compression"]);
      CHECK(detection.payload == KindOf(row["payload_message"]));
      if (row["compression"] != "none") continue;
      const uint64_t size = std::stoull(row["file_bytes"]);
      const Walk walk = WalkShard(OpenFile(path), size, detection.framing).walk();
      CHECK(walk.damage.empty());
      CHECK(walk.records.size() == std::stoull(row["records"]));
      const uint64_t framing = detection.framing == kTf ? 16 : 8;
      CHECK(size - walk.records.size() * framing == std::stoull(row["payload_bytes"]));
    }
  }
}

}  // namespace
}  // namespace ofindex
