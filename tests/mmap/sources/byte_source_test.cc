#include "mmap/sources/byte_source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/mmap/inflate/inflated_stream.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr Framing kFramings[] = {Framing::kTfRecord, Framing::kOfRecord};

// A shard on disk, with both sources of its bytes.
struct TwoSources {
  TwoSources(Framing shard_framing, std::vector<std::string> shard_payloads)
      : framing(shard_framing),
        payloads(std::move(shard_payloads)),
        boundaries(RecordBoundaries(framing, payloads)),
        file(Written(dir / "s", ShardBytes(framing, payloads))),
        map(MapSource(file, boundaries.back()).value()),
        pread(PreadSource(file)) {}

  static File Written(const std::string& path, const std::string& bytes) {
    WriteFile(path, bytes);
    return File::OpenRead(path).value();
  }

  TempDir dir;
  Framing framing;
  std::vector<std::string> payloads;
  std::vector<uint64_t> boundaries;
  File file;
  std::unique_ptr<ByteSource> map;
  std::unique_ptr<ByteSource> pread;
};

// The outcome of a run of reads: how far it came, and the payloads up to there.
struct RunAnswer {
  ReadOutcome::Status status;
  size_t at;
  std::vector<std::string> payloads;

  friend bool operator==(const RunAnswer&, const RunAnswer&) = default;
};

RunAnswer Ask(const ByteSource& source, const TwoSources& shard, const std::vector<size_t>& records) {
  RunAnswer answer;
  for (size_t record : records) answer.payloads.emplace_back(shard.payloads[record].size(), '?');
  std::vector<RecordRead> reads;
  for (size_t i = 0; i < records.size(); ++i) {
    reads.push_back({.begin = shard.boundaries[records[i]],
                     .length = answer.payloads[i].size(),
                     .out = reinterpret_cast<uint8_t*>(answer.payloads[i].data()),
                     .ordinal = records[i]});
  }
  source.Prefetch(shard.framing, reads);
  const ReadOutcome outcome = source.Read(shard.framing, reads);
  answer.status = outcome.status;
  answer.at = outcome.at;
  if (outcome.status != ReadOutcome::Status::kDone) answer.payloads.resize(outcome.at);
  return answer;
}

std::vector<size_t> SomeRecords(std::mt19937_64& random, size_t count) {
  std::vector<size_t> records;
  for (auto n = random() % 40; n > 0; --n) records.push_back(random() % count);
  return records;
}

TEST_CASE("both sources return the written payloads, for any run of records") {
  std::mt19937_64 random(29);
  for (Framing framing : kFramings) {
    const TwoSources shard(framing, SomePayloads(60, 3000));
    for (int i = 0; i < 200; ++i) {
      const std::vector<size_t> records = SomeRecords(random, 60);
      RunAnswer expected{ReadOutcome::Status::kDone, 0, {}};
      for (size_t record : records) expected.payloads.push_back(shard.payloads[record]);
      CHECK(Ask(*shard.map, shard, records) == expected);
      CHECK(Ask(*shard.pread, shard, records) == expected);
    }
  }
}

TEST_CASE("both sources stop at the same record of a file truncated at a page") {
  std::mt19937_64 random(31);
  for (Framing framing : kFramings) {
    const TwoSources shard(framing, SomePayloads(60, 1500));
    for (uint64_t size = shard.boundaries.back() / 4096 * 4096;; size -= 4096) {
      TruncateTo(shard.dir / "s", size);
      for (int i = 0; i < 20; ++i) {
        const std::vector<size_t> records = SomeRecords(random, 60);
        const RunAnswer map = Ask(*shard.map, shard, records);
        CHECK(map == Ask(*shard.pread, shard, records));
        // Finds the first incomplete record; the four bytes after a TFRecord's payload are not read.
        const uint64_t footer = framing == Framing::kTfRecord ? 4 : 0;
        const auto gone = std::find_if(records.begin(), records.end(),
                                       [&](size_t record) { return shard.boundaries[record + 1] - footer > size; });
        CHECK((map.status == ReadOutcome::Status::kDone) == (gone == records.end()));
        if (gone != records.end()) CHECK(map.at == static_cast<size_t>(gone - records.begin()));
      }
      if (size == 0) break;
    }
  }
}

TEST_CASE("both sources stop at a record whose header has another length") {
  for (Framing framing : kFramings) {
    const TwoSources shard(framing, SomePayloads(10, 100));
    for (uint64_t byte = 0; byte < 8; ++byte) {
      FlipBit(shard.dir / "s", shard.boundaries[4] + byte, 1);
      for (const ByteSource* source : {shard.map.get(), shard.pread.get()}) {
        const RunAnswer answer = Ask(*source, shard, {2, 3, 4, 5});
        CHECK(answer.status == ReadOutcome::Status::kOtherFraming);
        CHECK(answer.at == 2);
        CHECK(answer.payloads == std::vector<std::string>{shard.payloads[2], shard.payloads[3]});
      }
      FlipBit(shard.dir / "s", shard.boundaries[4] + byte, 1);
    }
  }
}

TEST_CASE("an inflated record is refused if its header has another length") {
  const std::vector<std::string> written(10, "payload");
  for (Framing framing : kFramings) {
    const InflatedStream stream(ShardBytes(framing, written), 1);
    SpanCache cache(1 << 20);
    const auto source = InflateSource(stream.Through(cache));
    for (uint64_t length = 0; length < 10; ++length) {
      std::string out(length, '?');
      const RecordRead reads[] = {{.begin = RecordBoundaries(framing, written)[4],
                                   .length = length,
                                   .out = reinterpret_cast<uint8_t*>(out.data()),
                                   .ordinal = 4}};
      const ReadOutcome::Status status = source->Read(framing, reads).status;
      CHECK(status == (length == 7 ? ReadOutcome::Status::kDone : ReadOutcome::Status::kOtherFraming));
      CHECK((out == "payload") == (length == 7));
    }
  }
}

TEST_CASE("only a mapped source has the whole shard in memory") {
  const TwoSources shard(Framing::kOfRecord, SomePayloads(10, 100));
  CHECK(AsText(shard.map->mapped()) == ShardBytes(shard.framing, shard.payloads));
  CHECK(shard.pread->mapped().empty());
}

TEST_CASE("a failing read reports its errno") {
  const TempDir dir;
  WriteFile(dir / "s", "x");
  const File file = File::OpenRead(dir / "s").value();
  const auto pread = PreadSource(file);
  uint8_t out = 0;
  // Larger than the system's offsets: pread refuses it.
  const RecordRead reads[] = {{.begin = uint64_t{1} << 63, .length = 1, .out = &out, .ordinal = 0}};
  const ReadOutcome outcome = pread->Read(Framing::kOfRecord, reads);
  CHECK(outcome.status == ReadOutcome::Status::kFailed);
  CHECK(outcome.error == EINVAL);
}

}  // namespace
}  // namespace ofindex
