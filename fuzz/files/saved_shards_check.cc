#include "fuzz/files/saved_shards_check.h"

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
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

// Appends entries as the input says. Most follow the one before, and have correct checksums.
std::vector<uint8_t> FileOf(FuzzInput& input) {
  std::vector<uint8_t> file(MagicOfSaved().begin(), MagicOfSaved().end());
  uint32_t blocks = 0;
  while (!input.empty() && file.size() < 8192) {
    const uint8_t choices = input.Byte();
    const bool is_end = choices % 2 == 1;
    const std::vector<uint8_t> body = BodyOf(input, is_end);
    std::array<uint8_t, kHeadBytes> head{};
    StoreLe32(head.data(), is_end ? 1 : 0);
    StoreLe32(head.data() + 4, blocks);
    StoreLe64(head.data() + 8, body.size());
    StoreLe64(head.data() + 16, Xxh3(body));
    head[24] = static_cast<uint8_t>(1 + choices / 2 % 4);  // one of the keys, or none of them
    StoreLe64(head.data() + 40, choices / 8 % 2 == 0 ? 0 : input.Number(8));
    if (choices / 16 % 4 == 3) head[input.Below(48)] = input.Byte();
    StoreLe64(head.data() + 48, Xxh3(ByteView(head).first(48)));
    if (choices / 64 == 3) head[input.Below(kHeadBytes)] = input.Byte();
    file.insert(file.end(), head.begin(), head.end());
    file.insert(file.end(), body.begin(), body.end());
    blocks = is_end ? 0 : blocks + 1;
  }
  return file;
}

// Reads each shard. Returns the blocks that were read.
std::vector<BuiltBlock> ReadAllSaved(const SavedShards& saved) {
  std::vector<BuiltBlock> blocks;
  size_t shards = 0;
  for (size_t shard = 0; shard < Keys().size(); ++shard) {
    if (!saved.Has(shard)) continue;
    ++shards;
    const auto keep = [&](BuiltBlock block) -> Result<void> {
      blocks.push_back(std::move(block));
      return {};
    };
    static_cast<void>(IsThere(saved.Read(shard, keep)));
  }
  Expect(shards == saved.shards(), "the number of saved shards is wrong");
  Expect(saved.records() <= shards * (uint64_t{1} << 32), "more records than so few blocks can have");
  return blocks;
}

}  // namespace

void CheckSavedShards(FuzzInput& input) {
  std::vector<uint8_t> bytes = FileOf(input);
  if (bytes.size() % 16 == 7) bytes[bytes.size() % kMagicBytes] ^= 1;  // now and then another program's file
  const std::string path = PathOfSaved();
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(AsText(bytes).data(), std::ssize(bytes));
  const std::atomic<bool> cancel = false;
  std::vector<BuiltBlock> blocks;
  {
    SavedShards saved = SavedShards::Open(path, Keys());
    blocks = ReadAllSaved(saved);
    saved.ForgetDamaged(cancel);
    Expect(!saved.failed(), "a file of this user is not taken up");
    for (const BuiltBlock& block : blocks) saved.Add(2, block);
    saved.End(2, {});
    SavedShards moved(std::move(saved));
    Expect(moved.LeavesRoom() || moved.failed(), "there is no room");
  }
  SavedShards again = SavedShards::Open(path, Keys());
  Expect(again.Has(2), "a shard that was added is not found again");
  size_t count = 0;
  const auto counts = [&](const BuiltBlock&) -> Result<void> {
    ++count;
    return {};
  };
  const Result<ShardFindings> findings = again.Read(2, counts);
  Expect(findings.has_value() && count == blocks.size(), "a shard that was added is read otherwise");
  again.Remove();
  SavedShards::RemoveAt(path);
}

}  // namespace ofindex
