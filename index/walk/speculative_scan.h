#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "index/walk/walk_range.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// A speculative scan of one large TFRecord shard at several places at once, ahead of the authoritative walker. If
/// records are large, more of them are waited for at once; if they are small, more threads walk.
///
/// The shard is cut into segments by bytes. In each, the scan starts at the first header with a correct checksum and
/// walks to the segment's end. That start may be false, so its records are only a guess: the walker takes a segment's
/// records only if its own chain arrives exactly at one of them. From there on both chains are the same, because both
/// depend on the bytes alone. The rest is walked serially. Thread-safe; memory is bounded for any shard size.
class SpeculativeScan {
 public:
  /// Scans `range` of a shard of `size` bytes. `file` must outlive this object. `chains` is the number of threads that
  /// will call Run, and `record_bytes` the approximate size of a record.
  SpeculativeScan(const File& file, uint64_t size, unsigned chains, uint64_t record_bytes, const WalkRange& range = {});

  /// Body of a scanning thread: walks segments until none is left or Stop() was called.
  void Run();

  /// Makes all Run() calls return soon.
  void Stop();

  /// If a scanned chain passes through `position`, appends its record starts before `end` to `starts`, up to `limit` in
  /// total, and moves `position` past them. Waits for a thread that is working on that segment. Returns false if there
  /// are none.
  [[nodiscard]] bool Take(uint64_t& position, std::vector<uint64_t>& starts, size_t limit, uint64_t end);

  /// Returns the end of the segment that contains `position`: the walker calls Take again there.
  [[nodiscard]] uint64_t SegmentEnd(uint64_t position) const;

 private:
  enum class State { kOpen, kTaken, kDone };
  struct Segment {
    State state = State::kOpen;
    std::vector<uint64_t> starts;
    uint64_t end = 0;  // where the chain of `starts` continues
  };

  [[nodiscard]] std::optional<size_t> Claim();
  [[nodiscard]] Segment Walk(size_t index) const;
  void Forget(size_t before);

  const FileBytes bytes_;
  const uint64_t size_;
  const uint64_t step_;
  const size_t window_;  // segments that may be walked but not yet taken
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Segment> segments_;
  size_t next_;    // the first unclaimed segment
  size_t needed_;  // segments before it are no longer needed
  bool stopped_ = false;
};

}  // namespace ofindex
