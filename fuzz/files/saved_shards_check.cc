#include "fuzz/files/saved_shards_check.h"

#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/record.h"
#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/memory_file.h"
#include "index/resume/saved_block.h"
#include "index/resume/saved_shards.h"

namespace ofindex {
namespace {

constexpr size_t kMagicBytes = 16;
constexpr size_t kHeadBytes = 56;

const std::vector<Digest128>& Keys() {
  static const std::vector<Digest128> keys = {Digest128{1}, Digest128{2}, Digest128{3}};
  return keys;
}

std::string PathOfSaved() { return SavedShards::PathFor(SmallDataset::Get().folder() + "/saved"); }

// What SavedShards writes before all entries.
const std::string& MagicOfSaved() {
  static const std::string magic = [] {
    const std::string path = PathOfSaved();
    SavedShards saved = SavedShards::Open(path, Keys());
    saved.End(0, {});
    Expect(!saved.failed() && saved.Has(0), "no shard can be saved");
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    saved.Remove();
    return bytes.substr(0, kMagicBytes);
  }();
  return magic;
}

// A block, or the end of a shard, as it is saved.
std::vector<uint8_t> BodyOf(FuzzInput& input, bool is_end) {
  std::vector<uint8_t> body;
  constexpr size_t kMost = 4096;
  const size_t n = input.Number(2) % (2 * kMost);
  if (n >= kMost) {
    const ByteView bytes = input.Bytes(n - kMost);
    body.assign(bytes.begin(), bytes.end());
  } else if (is_end) {
    AppendSaved(ShardFindings{}, body);
  } else {
    const std::optional<BuiltBlock> block = ParseSavedBlock(input.Bytes(n));
    if (block) AppendSaved(*block, body);
  }
  return body;
}

// Returns a file with the entries that the input describes. Most follow the one before, under correct checksums.
std::vector<uint8_t> FileOf(FuzzInput& input) {
  std::vector<uint8_t> file(MagicOfSaved().begin(), MagicOfSaved().end());
  uint32_t blocks = 0;
  uint64_t records = 0;  // of the shard so far
  while (!input.empty() && file.size() < 8192) {
    const uint8_t choices = input.Byte();
    const bool is_end = choices % 2 == 1;
    const std::vector<uint8_t> body = BodyOf(input, is_end);
    if (const std::optional<BuiltBlock> block = ParseSavedBlock(body); block && !is_end) records += block->row.records;
    std::array<uint8_t, kHeadBytes> head{};
    StoreLe32(head.data(), is_end ? 1 : 0);
    StoreLe32(head.data() + 4, blocks);
    StoreLe64(head.data() + 8, body.size());
    StoreLe64(head.data() + 16, Xxh3(body));
    head[24] = static_cast<uint8_t>(1 + choices / 2 % 4);  // one of the keys, or none of them
    StoreLe64(head.data() + 40, choices / 8 % 2 == 0 ? records : input.Number(8));
    if (choices / 16 % 4 == 3) head[input.Below(48)] = input.Byte();
    StoreLe64(head.data() + 48, Xxh3(ByteView(head).first(48)));
    if (choices / 64 == 3) head[input.Below(kHeadBytes)] = input.Byte();
    file.insert(file.end(), head.begin(), head.end());
    file.insert(file.end(), body.begin(), body.end());
    blocks = is_end ? 0 : blocks + 1;
    if (is_end) records = 0;
  }
  return file;
}

std::vector<uint8_t> BytesOf(const std::vector<BuiltBlock>& blocks) {
  std::vector<uint8_t> bytes;
  for (const BuiltBlock& block : blocks) AppendSaved(block, bytes);
  return bytes;
}

// Reads a saved shard. Returns nothing if it is damaged.
std::optional<std::vector<BuiltBlock>> BlocksOf(const SavedShards& saved, size_t shard) {
  std::vector<BuiltBlock> blocks;
  const auto keep = [&](BuiltBlock block) -> Result<void> {
    blocks.push_back(std::move(block));
    return {};
  };
  if (!IsThere(saved.Read(shard, keep))) return std::nullopt;
  return blocks;
}

// Reads each shard, and forgets those that cannot be read. Returns all blocks that were read.
std::vector<BuiltBlock> TakeUp(SavedShards& saved) {
  std::vector<BuiltBlock> all;
  std::vector<size_t> sound;
  for (size_t shard = 0; shard < Keys().size(); ++shard) {
    if (!saved.Has(shard)) continue;
    std::optional<std::vector<BuiltBlock>> blocks = BlocksOf(saved, shard);
    if (!blocks) continue;
    sound.push_back(shard);
    all.insert(all.end(), std::make_move_iterator(blocks->begin()), std::make_move_iterator(blocks->end()));
  }
  const std::atomic<bool> cancel = false;
  saved.ForgetDamaged(cancel);
  Expect(saved.shards() == sound.size(), "a sound shard is forgotten, or a damaged one is not");
  for (const size_t shard : sound) Expect(saved.Has(shard), "a sound shard is forgotten");
  uint64_t records = 0;
  for (const BuiltBlock& block : all) records += block.row.records;
  Expect(saved.records() == records, "the saved shards have ", records, " records, not ", saved.records());
  return all;
}

}  // namespace

void CheckSavedShards(FuzzInput& input) {
  const bool is_foreign = input.Below(64) == 63;
  std::vector<uint8_t> bytes = FileOf(input);
  if (is_foreign) bytes[0] ^= 1;
  const std::string path = PathOfSaved();
  WriteFileAt(path, bytes);
  std::vector<BuiltBlock> blocks;
  {
    SavedShards saved = SavedShards::Open(path, Keys());
    Expect(!saved.failed(), "a file of this user is not taken up");
    Expect(saved.records() <= bytes.size() * kBlockRecords, "more records than all blocks may have");
    blocks = TakeUp(saved);
    Expect(!is_foreign || blocks.empty(), "something is read from another program's file");
    for (const BuiltBlock& block : blocks) saved.Add(2, block);
    saved.End(2, {});
    if (saved.failed()) return;  // the disk is full
  }
  SavedShards again = SavedShards::Open(path, Keys());
  Expect(again.Has(2), "a shard that was added is not found again");
  const std::optional<std::vector<BuiltBlock>> read = BlocksOf(again, 2);
  Expect(read && BytesOf(*read) == BytesOf(blocks), "a shard that was added is read otherwise");
  again.Remove();
  SavedShards::RemoveAt(path);
}

}  // namespace ofindex
