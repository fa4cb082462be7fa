#include "bench/pairs/input/synthetic.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/framing.h"
#include "base/output_file.h"
#include "base/text.h"
#include "bench/pairs/input/data.h"
#include "index/build/index_writer.h"
#include "index/catalog/paths.h"
#include "index/writing/record_framing.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

constexpr uint64_t kSyntheticRecords = 100'000'000;
constexpr uint64_t kRealRecords = 64;
constexpr LengthRange kLengths{200, 300};

std::vector<uint64_t> RealOrdinals() {
  std::vector<uint64_t> ordinals;
  for (uint64_t i = 0; i < kRealRecords; ++i) ordinals.push_back(Noise(i) % kSyntheticRecords);
  std::sort(ordinals.begin(), ordinals.end());
  return ordinals;
}

Result<void> WriteRecord(OutputFile& out, uint64_t offset, uint64_t length) {
  const std::vector<uint8_t> payload(length, uint8_t{0x5a});
  const RecordFraming framing(Framing::kTfRecord, payload);
  std::vector<uint8_t> record(framing.header().begin(), framing.header().end());
  record.insert(record.end(), payload.begin(), payload.end());
  record.insert(record.end(), framing.footer().begin(), framing.footer().end());
  return out.WriteAt(offset, record);
}

// Writes only the real records, and the last one, which gives the file its size.
Result<void> WriteShard(const SyntheticIndex& synthetic) {
  OFINDEX_ASSIGN(OutputFile out, OutputFile::Create(synthetic.shard));
  uint64_t offset = 0;
  for (uint64_t ordinal = 0; ordinal < kSyntheticRecords; ++ordinal) {
    const uint64_t length = kLengths.Of(ordinal);
    const bool real = std::binary_search(synthetic.real.begin(), synthetic.real.end(), ordinal);
    if (real || ordinal + 1 == kSyntheticRecords) OFINDEX_TRY(WriteRecord(out, offset, length));
    offset += length + FramingBytes(Framing::kTfRecord);
  }
  return out.Sync();
}

BuiltBlock NextBlock(uint64_t first_record, uint64_t end_record, uint64_t begin, std::vector<uint64_t>& boundaries) {
  const uint64_t records = std::min<uint64_t>(kBlockRecords, end_record - first_record);
  boundaries.assign(1, begin);
  for (uint64_t i = 0; i < records; ++i) {
    boundaries.push_back(boundaries.back() + kLengths.Of(first_record + i) + FramingBytes(Framing::kTfRecord));
  }
  BuiltBlock block;
  block.row.first_record = first_record;
  block.row.records = static_cast<uint32_t>(records);
  block.row.begin = begin;
  block.row.end = boundaries.back();
  block.row.offsets = PackOffsets(boundaries);
  block.payload_bytes = boundaries.back() - begin - records * FramingBytes(Framing::kTfRecord);
  return block;
}

// Adds records as the only ones of the shard that `writer` has begun.
Result<void> AddRecords(uint64_t first_record, uint64_t end_record, IndexWriter& writer) {
  std::vector<uint64_t> boundaries;
  uint64_t begin = 0;
  for (uint64_t first = first_record; first < end_record; first += kBlockRecords) {
    OFINDEX_TRY(writer.AddBlock(NextBlock(first, end_record, begin, boundaries)));
    begin = boundaries.back();
  }
  return writer.EndShard({});
}

Result<void> WriteIndex(const SyntheticIndex& synthetic) {
  const std::string map = MapPathOf(synthetic.index);
  OFINDEX_TRY(OutputFile::Create(synthetic.index));
  OFINDEX_ASSIGN(OutputFile map_file, OutputFile::Create(map));
  OFINDEX_ASSIGN(const File file, File::OpenRead(synthetic.shard));
  ProbedShard shard;
  OFINDEX_ASSIGN(shard.identity, IdentifyShard(file));
  shard.file = {synthetic.shard, std::filesystem::path(synthetic.shard).filename().string()};
  shard.framing = Framing::kTfRecord;
  OFINDEX_ASSIGN(IndexWriter writer, IndexWriter::Begin(synthetic.index, std::move(map_file), {}));
  writer.BeginShard(shard);
  OFINDEX_TRY(AddRecords(0, kSyntheticRecords, writer));
  DatasetFacts facts;
  return writer.Finish(facts, synthetic.index);
}

// Writes the index of a shard with these records that does not exist.
Result<void> WriteIndexOf(uint64_t first_record, uint64_t end_record, const std::string& shard,
                          const std::string& index) {
  OFINDEX_TRY(OutputFile::Create(index));
  OFINDEX_ASSIGN(OutputFile map_file, OutputFile::Create(MapPathOf(index)));
  OFINDEX_ASSIGN(IndexWriter writer, IndexWriter::Begin(index, std::move(map_file), {}));
  ShardRow row;
  row.path = shard;
  row.framing = Framing::kTfRecord;
  for (uint64_t i = first_record; i < end_record; ++i) {
    row.identity.size += kLengths.Of(i) + FramingBytes(Framing::kTfRecord);
  }
  writer.BeginShard(row);
  OFINDEX_TRY(AddRecords(first_record, end_record, writer));
  DatasetFacts facts;
  return writer.Finish(facts, index);
}

}  // namespace

Result<SyntheticIndex> HundredMillionRecords() {
  std::error_code error;
  std::filesystem::create_directories(DataFolder(), error);
  if (error) return tl::unexpected(SystemError(DataFolder(), "cannot make the folder", error.value()));
  SyntheticIndex synthetic;
  synthetic.shard = DataFolder() + "/synthetic.tfrecord";
  synthetic.index = synthetic.shard + std::string(kIndexSuffix);
  synthetic.records = kSyntheticRecords;
  synthetic.real = RealOrdinals();
  OFINDEX_TRY(WriteShard(synthetic));
  OFINDEX_TRY(WriteIndex(synthetic));
  return synthetic;
}

Result<std::vector<std::string>> HundredMillionInIndexes(uint64_t count) {
  std::error_code error;
  std::filesystem::create_directories(DataFolder(), error);
  if (error) return tl::unexpected(SystemError(DataFolder(), "cannot make the folder", error.value()));
  std::vector<std::string> indexes;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string shard = StrCat("synthetic-", i, ".tfrecord");
    indexes.push_back(StrCat(DataFolder(), "/", shard, kIndexSuffix));
    OFINDEX_TRY(
        WriteIndexOf(kSyntheticRecords * i / count, kSyntheticRecords * (i + 1) / count, shard, indexes.back()));
  }
  return indexes;
}

}  // namespace ofindex
