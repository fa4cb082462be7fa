#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/output/draft.h"
#include "index/output/draft_folder.h"
#include "index/writing/record_writer.h"
#include "index/writing/shard_set_plan.h"

namespace ofindex {

/// Writes records, in order, into a set of shards that appears all at once: until Publish, the folder is as it was, and
/// after it, the set is the new one. A writer that dies leaves a draft, which nobody takes for shards. Moves, does not
/// copy; not thread-safe.
class ShardSetWriter {
 public:
  /// Begins the shards of `plan`. Shard i takes `records[i]` records; there is one such number for each path.
  /// Errors: kIo; kLocked.
  [[nodiscard]] static Result<ShardSetWriter> Begin(ShardSetPlan plan, std::vector<uint64_t> records);

  ShardSetWriter(ShardSetWriter&&) noexcept = default;
  ShardSetWriter& operator=(ShardSetWriter&&) noexcept = default;

  /// Removes what was not published, and the folders that were made for it.
  ~ShardSetWriter();

  /// Appends a record to the shard whose turn it is. Errors: those of RecordWriter::Write. At most as many records are
  /// written and passed over as there is room for.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Counts a record that is not written: its shard has one fewer.
  [[nodiscard]] Result<void> PassOver();

  /// Puts `text` beside the shards, as the file `name`, which replaces what the plan names. Errors: kIo, kLocked.
  [[nodiscard]] Result<void> AddFile(const std::string& name, ByteView text);

  /// Writes all that is left to write, and waits until it is on the disk, so that Publish has only names to give.
  /// Errors: kIo, a full disk among them.
  [[nodiscard]] Result<void> Finish();

  /// Finishes, and puts the new files in the place of those that are replaced. Errors: kIo; the old set is then whole,
  /// or the new one is, or the folder is marked as unfinished (index/output/unfinished_set.h).
  [[nodiscard]] Result<void> Publish();

  [[nodiscard]] uint64_t records() const { return records_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const ShardSetPlan& plan() const { return plan_; }

 private:
  ShardSetWriter(ShardSetPlan plan, std::vector<uint64_t> sizes) : plan_(std::move(plan)), sizes_(std::move(sizes)) {}

  [[nodiscard]] Result<void> MakeFolder(const std::string& path);
  [[nodiscard]] std::string DraftPathOf(const std::string& name) const;
  [[nodiscard]] Result<void> Keep(Draft draft);
  [[nodiscard]] Result<void> Settle(size_t most);
  [[nodiscard]] Result<void> PublishFiles();
  [[nodiscard]] Result<void> OpenShardInTurn();
  [[nodiscard]] Result<void> FinishShard();

  // Folders that were made, outer ones first: of one object only, also when it is moved.
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
  std::optional<DraftFolder> folder_;  // of a set in a folder of its own
  std::optional<RecordWriter> open_;
  size_t opened_ = 0;         // shards
  uint64_t left_ = 0;         // records that the open shard still takes
  std::deque<Draft> drafts_;  // files that are written; of a folder, those that may not be on the disk yet
  uint64_t records_ = 0;
  uint64_t bytes_ = 0;
};

/// Removes what a killed writer of `plan` has left. Leaves what is being written alone.
void RemoveLeftovers(const ShardSetPlan& plan);

/// `records` parted into `shards` numbers that differ by one at the most: shard i ends with record
/// (i + 1) * records / shards, rounded down.
[[nodiscard]] std::vector<uint64_t> EvenShares(uint64_t records, uint64_t shards);

}  // namespace ofindex
