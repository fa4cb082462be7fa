#include "base/file_watch.h"

#include <time.h>

#include <array>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr int64_t kClockTickNs = 20'000'000;

// How far a file server's clock may be ahead of this machine's. Until the machine's clock catches up, a change might
// leave the file's times unaltered.
constexpr int64_t kMaxAheadNs = int64_t{60} * 1'000'000'000;

int64_t NowOf(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Returns the nanoseconds since the file changed, by the clock that sets the times of local files. It may be far behind
// CLOCK_REALTIME on a machine that stands still at times.
int64_t AgeOf(const FileFacts& facts) { return NowOf(CLOCK_REALTIME_COARSE) - facts.ctime_ns; }

}  // namespace

uint64_t HashOf(const FileFacts& facts) {
  const std::array<uint64_t, 5> words = {facts.size, static_cast<uint64_t>(facts.mtime_ns),
                                         static_cast<uint64_t>(facts.ctime_ns), facts.device, facts.inode};
  return Xxh3(ByteView(reinterpret_cast<const uint8_t*>(words.data()), sizeof words)) | 1;
}

bool ChangedJustNow(const FileFacts& facts) {
  const int64_t age = AgeOf(facts);
  return age >= -kMaxAheadNs && age < kClockTickNs;
}

bool WaitForNextTick(const FileFacts& facts) {
  int64_t age = AgeOf(facts);
  if (age < -kMaxAheadNs || age >= kClockTickNs) return false;
  // Waits at most two ticks: otherwise the file's clock is ahead, and the wait would take as long.
  for (; age >= -kClockTickNs && age < kClockTickNs; age = AgeOf(facts)) {
    const timespec pause{.tv_sec = 0, .tv_nsec = kClockTickNs - age};
    ::nanosleep(&pause, nullptr);
  }
  return true;
}

int64_t CoarseTick() { return NowOf(CLOCK_MONOTONIC_COARSE); }

bool FileWatch::Unchanged(uint64_t state) const {
  const auto facts = file_.Facts();
  return state != 0 && facts && HashOf(*facts) == state;
}

// Returns false if the file no longer has the facts `facts`: the bytes checked meanwhile may belong to neither state.
bool FileWatch::Trust(const FileFacts& facts) const {
  const auto now = file_.Facts();
  if (!now || !(*now == facts)) return false;
  trusted_->store(HashOf(facts), std::memory_order_release);
  return true;
}

tl::unexpected<Error> FileWatch::Changing() const {
  return Fail(ErrorCode::kStale, StrCat(Printable(file_.path()), ": the file is being written to"),
              "open the dataset again when the file is no longer written to");
}

}  // namespace ofindex
