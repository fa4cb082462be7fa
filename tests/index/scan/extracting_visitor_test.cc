#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "index/scan/block_pass.h"
#include "tests/index/walking.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

/// Returns an Example with a number and a text of `bytes` bytes.
std::string NumberAndText(int64_t number, size_t bytes) {
  return Field(1, Entry("n", Field(3, PackedVarints({number}))) +
                      Entry("t", Field(1, BytesList({std::string(bytes, static_cast<char>('a' + number % 26))}))));
}

/// Returns the name and the bytes of every chunk in a block, then the numbers of the malformed records.
std::vector<std::pair<std::string, std::vector<uint8_t>>> Said(const BlockColumns& columns) {
  std::vector<std::pair<std::string, std::vector<uint8_t>>> said;
  for (const BlockFeature& feature : columns.features) {
    for (const ChunkRow& chunk : feature.chunks) said.emplace_back(feature.row.name, chunk.data);
  }
  for (const uint32_t record : columns.malformed) said.emplace_back(std::to_string(record), std::vector<uint8_t>());
  return said;
}

void CheckSame(const std::vector<std::string>& payloads) {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const TempDir folder;
    const std::string bytes = ShardBytes(framing, payloads);
    WriteFile(folder / "shard", bytes);
    const File file = OpenFile(folder / "shard");
    const Progress progress;
    BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), {ColumnChoice::Mode::kNamed, {"n", "t"}});
    const FileBytes all(file, bytes.size());
    ExtractingVisitor visitor(all, framing, extractor);
    ShardWalker walker(all, framing, progress);
    std::vector<uint64_t> boundaries;
    const Result<bool> more = walker.NextBlock(boundaries, &visitor);
    REQUIRE((more && *more));
    REQUIRE(boundaries == RecordBoundaries(framing, payloads));
    const Result<BlockColumns> walked = visitor.Finish(boundaries);
    const Result<BlockColumns> extracted = ExtractBlock(all, framing, boundaries, extractor, progress);
    REQUIRE((walked && extracted));
    CHECK(Said(*walked) == Said(*extracted));
    CHECK_FALSE(Said(*walked).empty());
  }
}

TEST_CASE("columns extracted during the walk equal those extracted in a separate pass") {
  std::vector<std::string> payloads;
  for (int64_t i = 0; i < 20'000; ++i) payloads.push_back(NumberAndText(i * i, static_cast<size_t>(i % 90)));
  CheckSame(payloads);
}

TEST_CASE("records larger than the walk's buffer are decoded too, and malformed ones are reported") {
  std::vector<std::string> payloads;
  for (int64_t i = 0; i < 60; ++i) payloads.push_back(NumberAndText(i, static_cast<size_t>(i) * 1'000));
  payloads.push_back(NumberAndText(60, 400'000));
  payloads.push_back("\x0a\xff");
  payloads.push_back("");
  payloads.push_back(NumberAndText(61, 3));
  CheckSame(payloads);
}

TEST_CASE("large records, which the walk hops over, are decoded page by page") {
  std::vector<std::string> payloads;
  for (int64_t i = 0; i < 40; ++i) payloads.push_back(NumberAndText(i, 70'000));
  CheckSame(payloads);
}

}  // namespace
}  // namespace ofindex
