#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "base/record.h"
#include "base/result.h"
#include "index/walk/stream_findings.h"
#include "mmap/files/readable_bytes.h"
#include "mmap/inflate/checkpoint.h"
#include "mmap/inflate/inflater.h"
#include "mmap/inflate/span_cache.h"

namespace ofindex {

/// How to inflate a compressed shard for indexing.
struct InflateOptions {
  uint64_t checkpoint_bytes = uint64_t{2} << 20;  ///< output between two checkpoints, or somewhat more
  uint64_t max_ratio = 200;                       ///< output bytes per byte of the file
  uint64_t max_bytes = uint64_t{1} << 40;         ///< output of one shard
};

/// The inflated bytes of a compressed shard during its first walk: one pass, which records checkpoints. A thread
/// inflates some MiB ahead of the walk. Bytes some MiB behind the walk are dropped, and inflated again from a
/// checkpoint if they are requested again. Memory is bounded for any inflated size, except for the checkpoints, which
/// take about 0.4 % of the inflated size.
///
/// For one reading thread. Errors of its methods: those of ReadableBytes; kLimit if the shard inflates to more than the
/// options allow; kInterrupted.
class InflatingWalk final : public ReadableBytes {
 public:
  /// Inflates the first `size` bytes of `file`. `ahead` starts the thread that inflates ahead. `progress` must outlive
  /// this object.
  InflatingWalk(std::shared_ptr<const File> file, uint64_t size, Compression compression, const InflateOptions& options,
                bool ahead, Progress& progress);
  ~InflatingWalk() override;

  [[nodiscard]] Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override;
  [[nodiscard]] Result<uint64_t> Size(uint64_t wanted) const override;
  [[nodiscard]] const std::string& path() const override { return file_->path(); }

  /// Inflates the rest and returns the findings. No other method may be called afterwards.
  [[nodiscard]] Result<StreamFindings> Finish();

 private:
  // Contiguous output.
  struct Piece {
    uint64_t begin;
    std::vector<uint8_t> bytes;
  };

  // The checkpoints so far.
  class Known final : public Checkpoints {
   public:
    explicit Known(const InflatingWalk& walk) : walk_(walk) {}
    [[nodiscard]] size_t size() const override;
    [[nodiscard]] Result<Checkpoint> At(size_t i) const override;

   private:
    const InflatingWalk& walk_;
  };

  void RunAhead();
  [[nodiscard]] Result<uint64_t> WaitFor(uint64_t end) const;
  void Produce();
  [[nodiscard]] Result<Piece> NextPiece();
  void KeepCheckpoint();
  [[nodiscard]] Result<void> CheckLimits() const;
  [[nodiscard]] Result<size_t> ReadAgain(uint64_t offset, std::span<uint8_t> out) const;

  const std::shared_ptr<const File> file_;
  const uint64_t size_;
  const Compression compression_;
  const InflateOptions options_;
  Progress& progress_;
  Inflater inflater_;
  uint64_t window_bytes_ = 0;     // size of the last window
  uint64_t file_bytes_done_ = 0;  // reported to progress_
  const Known known_{*this};
  mutable SpanCache again_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Piece> pieces_;  // the most recent ones
  std::deque<StoredCheckpoint> checkpoints_;
  uint64_t produced_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
  mutable uint64_t read_ = 0;    // bytes before it were read
  mutable uint64_t wanted_ = 0;  // bytes before it are waited for
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace ofindex
