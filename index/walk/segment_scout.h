#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// Walks one large TFRecord shard in many places at once, ahead of the walker that decides.
///
/// The shard is cut into segments by bytes. Each is entered at the first header in it whose checksum holds, and walked
/// until its end. That anchor may be false, so nothing of it counts by itself: the walker takes a segment's records
/// only when its own chain arrives exactly at one of them; from there on the two chains are the same, because both
/// follow from the bytes alone. What does not fit is walked serially. Thread-safe; bounded memory, however large the
/// shard.
class SegmentScout {
 public:
  /// `file` must outlive the scout. `chains` is how many threads are to run it.
  SegmentScout(const File& file, uint64_t size, unsigned chains);

  /// Body of a scouting thread: walks segments until none is left or Stop() was called.
  void Run();

  /// Ends all Run() soon.
  void Stop();

  /// If a scouted chain passes through `position`, appends the record starts of it to `starts`, up to `most` in all,
  /// and moves `position` behind them. Waits for a thread that is at work on that segment. Returns false if there are
  /// none.
  [[nodiscard]] bool Take(uint64_t& position, std::vector<uint64_t>& starts, size_t most);

  /// Where the segment of `position` ends: the walker asks again from there.
  [[nodiscard]] uint64_t SegmentEnd(uint64_t position) const;

 private:
  enum class State { kOpen, kTaken, kDone };
  struct Segment {
    State state = State::kOpen;
    std::vector<uint64_t> starts;
    uint64_t end = 0;  // where the chain of `starts` goes on
  };

  [[nodiscard]] std::optional<size_t> Claim();
  [[nodiscard]] Segment Walk(size_t index) const;
  void Forget(size_t before);

  const FileBytes bytes_;
  const uint64_t size_;
  const uint64_t step_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Segment> segments_;
  size_t next_ = 0;    // first segment that nobody has claimed
  size_t needed_ = 0;  // segments before it are no longer of use
  bool stopped_ = false;
};

}  // namespace ofindex
