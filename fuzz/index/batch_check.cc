#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/map_patches.h"
#include "fuzz/index/index_checks.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "index/catalog/paths.h"
#include "mmap/record_batch.h"
#include "mmap/record_reader.h"

namespace ofindex {
namespace {

constexpr size_t kMostInBatch = 300;

std::vector<uint8_t> BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A reader of each kind: the fast path by maps, and the slow one, whose batches are planned.
const std::vector<Dataset>& BatchReaders() {
  static const std::vector<Dataset> readers = [] {
    std::vector<Dataset> all;
    for (const ReaderOptions& options :
         {ReaderOptions{.allow_bad = true}, ReaderOptions{.io = IoMode::kPread, .allow_bad = true}, ReaderOptions{}}) {
      Result<Dataset> dataset = Dataset::Open(SmallDataset::Get().open().snapshot(), options);
      Expect(dataset.has_value(), "the dataset cannot be opened");
      all.push_back(std::move(*dataset));
    }
    return all;
  }();
  return readers;
}

std::vector<uint64_t> TakeOrdinals(FuzzInput& input) {
  std::vector<uint64_t> ordinals;
  for (size_t n = input.Byte(); ordinals.size() < std::min(n, kMostInBatch) && !input.empty();) {
    const size_t what = input.Byte();
    // Rarely one that does not exist.
    ordinals.push_back(what < 250 ? what % SmallDataset::kRecords : input.Number(8));
  }
  return ordinals;
}

// Reads a record in every way. Returns whether it can be read.
bool ReadAlone(const RecordReader& reader, uint64_t ordinal, std::vector<uint8_t>& bytes) {
  const bool there = IsThere(reader.Copy(ordinal, bytes));
  std::vector<uint8_t> room;
  const Result<void> copied = reader.CopyTo(ordinal, [&room](uint64_t length) {
    room.resize(length);
    return room.data();
  });
  Expect(IsThere(copied) == there && (!there || room == bytes), "record ", ordinal, " has other bytes in one way");
  const Result<LentRecord> lent = reader.Lend(ordinal, room);
  Expect(IsThere(lent) == there && (!there || AsText(lent->payload()) == AsText(bytes)), "record ", ordinal,
         " is lent with other bytes");
  const Result<RecordLocation> location = reader.Locate(ordinal);
  if (IsThere(location) && there) Expect(location->length == bytes.size(), "record ", ordinal, " has two lengths");
  return there;
}

void ReadBatch(const RecordReader& reader, const std::vector<uint64_t>& ordinals, RecordBatch& batch) {
  const std::vector<std::string>& payloads = SmallDataset::Get().payloads();
  bool all_there = true;
  for (const uint64_t ordinal : ordinals) {
    std::vector<uint8_t> alone;
    const bool there = ReadAlone(reader, ordinal, alone);
    Expect(!there || (ordinal < payloads.size() && AsText(alone) == payloads[ordinal]), "record ", ordinal,
           " has other bytes");
    all_there = there && all_there;
  }
  const Result<void> copied = reader.CopyInto(ordinals, batch);
  Expect(IsThere(copied) == all_there, "a batch and its records differ in whether they can be read");
  for (size_t i = 0; copied && i < ordinals.size(); ++i) {
    Expect(AsText(batch[i]) == payloads[ordinals[i]], "record ", ordinals[i], " has other bytes in a batch");
  }
}

// Reads through a map that says anything, under correct checksums: bytes that some file has, or an error. The first
// shard is compressed: a forged checkpoint may give other bytes.
void ReadByForgedMap(FuzzInput& input) {
  static const std::vector<uint8_t> sound = BytesOf(MapPathOf(SmallDataset::Get().index()));
  std::vector<uint8_t> forged = sound;
  for (size_t patches = 1 + input.Below(4); patches > 0; --patches) PatchMap(forged, input);
  const MemoryFile file(forged);
  Result<OffsetMap> map = OffsetMap::Open(file.path(), "input.ofidx-map", 0);
  if (!IsThere(map)) return;
  const IoMode io = input.Below(2) == 0 ? IoMode::kAuto : IoMode::kPread;
  const RecordReader reader =
      RecordReader::Open(std::move(*map), SmallDataset::Get().folder(), {.io = io, .allow_bad = input.Below(2) == 0});
  RecordBatch batch;
  while (!input.empty()) {
    const std::vector<uint64_t> ordinals = TakeOrdinals(input);
    for (const uint64_t ordinal : ordinals) {
      std::vector<uint8_t> bytes;
      const bool there = IsThere(reader.Copy(ordinal, bytes));
      const Result<RecordLocation> location = reader.Locate(ordinal);
      if (!IsThere(location) || !there || location->shard == 0) continue;
      Expect(SmallDataset::Get().bytes().find(AsText(bytes)) != std::string::npos, "bytes that no file has");
    }
    static_cast<void>(IsThere(reader.CopyInto(ordinals, batch)));
  }
}

}  // namespace

// The first byte chooses the reader.
void CheckBatch(ByteView bytes) {
  FuzzInput input(bytes);
  const std::vector<Dataset>& readers = BatchReaders();
  const size_t chosen = input.Below(readers.size() + 1);
  if (chosen == readers.size()) return ReadByForgedMap(input);
  RecordBatch batch;
  while (!input.empty()) ReadBatch(readers[chosen].reader(), TakeOrdinals(input), batch);
}

}  // namespace ofindex
