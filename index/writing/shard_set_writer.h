#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/output/atomic_file.h"
#include "index/output/atomic_folder.h"
#include "index/writing/record_writer.h"
#include "index/writing/shard_set_plan.h"

namespace ofindex {

/// Writes records, in order, into a set of shards that appears all at once: before Publish the folder is unchanged,
/// after it the set is the new one. A writer that is killed leaves a temporary file or folder, which is never taken for
/// shards. Moves, does not copy; not thread-safe.
class ShardSetWriter {
 public:
  /// Begins the shards of `plan`. Shard i takes `records[i]` records; `records` has one number per path.
  /// Errors: kIo; kLocked.
  [[nodiscard]] static Result<ShardSetWriter> Begin(ShardSetPlan plan, std::vector<uint64_t> records);

  ShardSetWriter(ShardSetWriter&&) noexcept = default;
  ShardSetWriter& operator=(ShardSetWriter&&) noexcept = default;

  /// Removes unpublished files, and the folders that were created for them.
  ~ShardSetWriter();

  /// Appends a record to the current shard. Calls of Write and PassOver together must not exceed the total of
  /// `records`. Errors: kUsage, as in RecordWriter::Write, and then the call does not count; kIo, kLocked, kLimit: the
  /// set can then only be discarded, and everything else fails with the same error.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Counts a record that is not written: its shard has one fewer.
  [[nodiscard]] Result<void> PassOver();

  /// Adds a file `name` containing `text` next to the shards, replacing the one named in the plan. Errors: kIo,
  /// kLocked.
  [[nodiscard]] Result<void> AddFile(const std::string& name, ByteView text);

  /// Writes all remaining data and waits until it is on disk, so that Publish only renames. Errors: kIo, including a
  /// full disk.
  [[nodiscard]] Result<void> Finish();

  /// Finishes, and replaces the old files with the new ones. Errors: kIo; then either the old set or the new one is
  /// whole, or the folder is marked as unfinished (index/output/unfinished_set.h).
  [[nodiscard]] Result<void> Publish();

  [[nodiscard]] uint64_t records() const { return records_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const ShardSetPlan& plan() const { return plan_; }

 private:
  ShardSetWriter(ShardSetPlan plan, std::vector<uint64_t> sizes) : plan_(std::move(plan)), sizes_(std::move(sizes)) {}

  [[nodiscard]] std::string TemporaryPathOf(const std::string& name) const;
  [[nodiscard]] Result<void> Keep(AtomicFile temporary);
  [[nodiscard]] Result<void> Settle(size_t limit);
  [[nodiscard]] Result<void> PublishFiles();
  [[nodiscard]] Result<void> OpenShardInTurn();
  [[nodiscard]] Result<void> FinishShard();
  [[nodiscard]] Result<void> FinishAll();
  [[nodiscard]] Result<void> OpenNext();
  [[nodiscard]] Result<void> WriteFile(const std::string& name, ByteView text);
  [[nodiscard]] Result<void> CheckIntact() const;
  [[nodiscard]] Result<void> Noted(Result<void> done);

  // Created folders, outer ones first: owned by one object only, also after a move.
  struct Made {
    std::vector<std::string> folders;
    Made() = default;
    Made(Made&& other) noexcept : folders(std::exchange(other.folders, {})) {}
    Made& operator=(Made&& other) noexcept {
      std::swap(folders, other.folders);
      return *this;
    }
  };

  ShardSetPlan plan_;
  std::vector<uint64_t> sizes_;
  Made made_;
  std::optional<AtomicFolder> folder_;  // for a set in a folder of its own
  std::optional<RecordWriter> open_;
  size_t opened_ = 0;                    // shards
  uint64_t left_ = 0;                    // records that the open shard still takes
  std::vector<AtomicFile> temporaries_;  // finished files; in a folder, those that may not be on disk yet
  size_t synced_ = 0;                    // of `temporaries_`, if the set has no folder of its own
  uint64_t records_ = 0;
  uint64_t bytes_ = 0;
  bool finished_ = false;        // all shards are written
  std::optional<Error> failed_;  // the first error after which the set cannot be whole
};

/// Removes files left by a killed writer of `plan`. Leaves files that are being written alone.
void RemoveLeftovers(const ShardSetPlan& plan);

/// Splits `records` into `shards` numbers that differ by at most one: shard i ends with record
/// (i + 1) * records / shards, rounded down.
[[nodiscard]] std::vector<uint64_t> EvenShares(uint64_t records, uint64_t shards);

}  // namespace ofindex
