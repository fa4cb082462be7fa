#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "mmap/record_reader.h"
#include "tests/mmap/live_deadline.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

// Readers of two shards: one shard is changed continuously ("attacked"), the other is left alone. OFINDEX_LIVE_SECONDS
// sets the duration in seconds; the default is 3.

constexpr size_t kAttacked = 0;
constexpr int kShardReaders = 4;
using std::chrono::milliseconds;

std::vector<ShardPlan> TwoShards() {
  return {{.path = "part-0", .framing = Framing::kOfRecord, .payloads = SomePayloads(300, 1500, 1)},
          {.path = "part-1", .framing = Framing::kTfRecord, .payloads = SomePayloads(50, 1500, 2)}};
}

// A change to the attacked shard. Each attack restores the right bytes at the end.
using ShardAttack = void (*)(const std::string& path, const std::string& bytes, std::mt19937_64& random);

// Waits before the damage is repaired, sometimes too briefly for a reader to notice it.
void Pause(std::mt19937_64& random) { std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000)); }

constexpr ShardAttack kCutAndRestore = [](const std::string& path, const std::string& bytes, std::mt19937_64& random) {
  TruncateTo(path, random() % bytes.size());
  Pause(random);
  WriteFile(path, bytes);
};

constexpr ShardAttack kCutInLastPage = [](const std::string& path, const std::string& bytes, std::mt19937_64& random) {
  const uint64_t size = bytes.size() - 1 - random() % 3000;  // the map reads zeros there, without a fault
  TruncateTo(path, size);
  Pause(random);
  OverwriteAt(path, size, std::string_view(bytes).substr(size));
};

constexpr ShardAttack kZerosAndRestore = [](const std::string& path, const std::string& bytes,
                                            std::mt19937_64& random) {
  TruncateTo(path, 0);
  TruncateTo(path, bytes.size());  // all zeros, of the right size
  Pause(random);
  OverwriteAt(path, 0, bytes);
};

constexpr ShardAttack kDelete = [](const std::string& path, const std::string& bytes, std::mt19937_64& random) {
  std::filesystem::remove(path);
  Pause(random);
  WriteFile(path, bytes);
};

constexpr ShardAttack kReplace = [](const std::string& path, const std::string& bytes, std::mt19937_64& random) {
  ReplaceFile(path, std::string(bytes.size(), 'x'));
  Pause(random);
  ReplaceFile(path, bytes);
};

constexpr ShardAttack kOverwrite = [](const std::string& path, const std::string& bytes, std::mt19937_64& random) {
  OverwriteAt(path, 0, std::string(bytes.size(), 'x'));
  Pause(random);
  OverwriteAt(path, 0, bytes);
};

constexpr ShardAttack kGrow = [](const std::string& path, const std::string& bytes, std::mt19937_64& random) {
  AppendTo(path, RecordBytes(Framing::kOfRecord, "one more"));
  Pause(random);
  TruncateTo(path, bytes.size());
};

struct ShardTally {
  std::atomic<uint64_t> right{0};        // reads of the attacked shard that returned its bytes
  std::atomic<uint64_t> errors{0};       // reads of the attacked shard that returned an error
  std::atomic<uint64_t> wrong{0};        // any other bytes, from any shard
  std::atomic<uint64_t> calm_errors{0};  // errors for the untouched shard
  std::atomic<uint64_t> odd_errors{0};   // errors of an unexpected kind
};

/// The readers of one thread, reopened from time to time so that they see the shard in every state. They cycle through
/// all combinations of limits on open maps and descriptors.
class LiveReader {
 public:
  LiveReader(const MappedDataset& dataset, IoMode io, uint64_t seed, ShardTally& tally)
      : dataset_(dataset), io_(io), random_(seed), tally_(tally) {}

  void RunUntil(Clock::time_point deadline) {
    for (uint64_t turn = 0; Clock::now() < deadline; ++turn) {
      // The calm shard comes first and takes the only map or descriptor, if there is only one.
      const RecordReader reader = dataset_.Open({.io = io_, .max_maps = turn / 2 % 2, .max_descriptors = turn % 2});
      ReadCalm(reader);
      for (int i = 0; i < 200 && Clock::now() < deadline; ++i) {
        ReadOne(reader);
        ReadBatch(reader);
      }
      ReadCalm(reader);
    }
  }

 private:
  [[nodiscard]] uint64_t AttackedOrdinal() { return random_() % 300; }
  [[nodiscard]] uint64_t CalmOrdinal() { return 300 + random_() % 50; }
  [[nodiscard]] bool IsRight(ByteView bytes, uint64_t ordinal) const {
    return AsText(bytes) == dataset_.payloads()[ordinal];
  }

  void ReadCalm(const RecordReader& reader) {
    const uint64_t ordinal = CalmOrdinal();
    if (!reader.Copy(ordinal, copy_)) {
      ++tally_.calm_errors;
    } else {
      tally_.wrong += !IsRight(copy_, ordinal);
    }
  }

  void ReadOne(const RecordReader& reader) {
    const uint64_t ordinal = AttackedOrdinal();
    if (const auto copied = reader.Copy(ordinal, copy_); !copied) return CountError(copied.error());
    ++(IsRight(copy_, ordinal) ? tally_.right : tally_.wrong);
  }

  void ReadBatch(const RecordReader& reader) {
    ordinals_.clear();
    for (int i = 0; i < 12; ++i) ordinals_.push_back(i % 3 == 0 ? CalmOrdinal() : AttackedOrdinal());
    if (const auto copied = reader.CopyInto(ordinals_, batch_); !copied) return CountError(copied.error());
    bool right = true;
    for (size_t i = 0; i < ordinals_.size(); ++i) right = right && IsRight(batch_[i], ordinals_[i]);
    ++(right ? tally_.right : tally_.wrong);
  }

  void CountError(const Error& error) {
    ++tally_.errors;
    // kIo means that the file was missing when it was opened, but present again when it was checked.
    if (error.code != ErrorCode::kStale && error.code != ErrorCode::kIo) ++tally_.odd_errors;
  }

  const MappedDataset& dataset_;
  const IoMode io_;
  std::mt19937_64 random_;
  ShardTally& tally_;
  std::vector<uint8_t> copy_;
  std::vector<uint64_t> ordinals_;
  RecordBatch batch_;
};

// Runs readers and attacks against each other, and checks the invariants.
void Run(IoMode io, const std::vector<ShardAttack>& attacks) {
  const MappedDataset dataset(TwoShards());
  const Clock::time_point deadline = LiveDeadline();
  ShardTally tally;
  std::vector<std::jthread> readers;
  for (int t = 0; t < kShardReaders; ++t) {
    readers.emplace_back([&, t] { LiveReader(dataset, io, static_cast<uint64_t>(t), tally).RunUntil(deadline); });
  }
  std::mt19937_64 random(41);
  uint64_t rounds = 0;
  for (; Clock::now() < deadline; ++rounds) {
    attacks[rounds % attacks.size()](dataset.shard_path(kAttacked), dataset.shard_bytes(kAttacked), random);
    // Readers wait for a fresh file to settle. Every other round leaves them the time, so that both cases occur.
    if (rounds % 2 == 0) std::this_thread::sleep_for(milliseconds(30));
  }
  readers.clear();
  MESSAGE("reads that were right: ", tally.right.load(), ", refused: ", tally.errors.load(), ", attacks: ", rounds);
  CHECK(tally.wrong == 0);
  CHECK(tally.calm_errors == 0);
  CHECK(tally.odd_errors == 0);
  CHECK(tally.right > 0);
  CHECK(tally.errors > 0);
}

const std::vector<ShardAttack> kEveryAttack = {kCutAndRestore, kCutInLastPage, kZerosAndRestore, kDelete, kReplace,
                                               kOverwrite,     kGrow};

TEST_CASE("readers through a map survive any change to a shard, and return its bytes or an error") {
  Run(IoMode::kMmap, kEveryAttack);
}

TEST_CASE("readers through pread survive any change to a shard, and return its bytes or an error") {
  Run(IoMode::kPread, kEveryAttack);
}

TEST_CASE("a shard that is truncated and rewritten in place is never read half-written through a map") {
  Run(IoMode::kMmap, {kCutAndRestore, kCutInLastPage, kZerosAndRestore});
}

TEST_CASE("a shard that is truncated and rewritten in place is never read half-written through pread") {
  Run(IoMode::kPread, {kCutAndRestore, kCutInLastPage, kZerosAndRestore});
}

}  // namespace
}  // namespace ofindex
