#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "index/writing/record_writer.h"
#include "index/writing/shard_set_writer.h"
#include "python/src/interpreter/errors.h"
#include "python/src/writing/payload_maker.h"

namespace ofindex::python {

/// Returns the number of forks between this process and the first one: objects opened before the last fork belong to
/// the parent.
[[nodiscard]] uint64_t ForkGeneration();

/// Shards that Python writes records to: `Target` is RecordWriter or ShardSetWriter. Thread-safe. In a forked child
/// every method raises, and nothing of the parent's is removed or published.
template <typename Target>
class Output {
 public:
  Output(Target target, std::string name, PayloadRules rules, Framing framing)
      : target_(std::make_unique<Target>(std::move(target))),
        name_(std::move(name)),
        rules_(std::move(rules)),
        framing_(framing),
        maker_(std::make_unique<PayloadMaker>(rules_)),
        fork_(ForkGeneration()) {
    Count();
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (fork_ != ForkGeneration()) static_cast<void>(target_.release());
  }

  /// Appends a payload unchanged, or the payload made from a mapping.
  void Write(nanobind::handle record);

  /// Runs `work` on the target, without the GIL. After an error the target can only be abandoned.
  template <typename Work>
  void Run(const Work& work) {
    CheckOurs();
    Result<void> done;
    {
      const nanobind::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      done = Guarded(work);
    }
    Unwrap(std::move(done));
  }

  /// Runs `work` as the last step and closes the output; does nothing if it is already closed.
  template <typename Work>
  void End(const Work& work) {
    if (closed()) return;
    CheckOurs();
    Result<void> done;
    {
      const nanobind::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      if (target_ == nullptr) return;
      done = Guarded(work);
      target_.reset();
      closed_ = true;
    }
    Unwrap(std::move(done));
  }

  /// Discards everything written. Does nothing if the output is already closed, or belongs to another process.
  void Abandon() {
    if (closed_ || fork_ != ForkGeneration()) return;
    const nanobind::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    target_.reset();
    closed_ = true;
  }

  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] uint64_t records() const { return records_; }
  [[nodiscard]] uint64_t size() const { return size_; }

 private:
  // Below this size, releasing and retaking the GIL takes longer than a copy into the buffer.
  static constexpr size_t kWorthTheGil = 16384;

  void WritePayload(ByteView payload);
  void CheckOurs() const;
  void Count() {
    records_ = target_->records();
    if constexpr (std::is_same_v<Target, RecordWriter>) {
      size_ = target_->size();
    } else {
      size_ = target_->bytes();
    }
  }

  // Requires the mutex.
  template <typename Work>
  [[nodiscard]] Result<void> Guarded(const Work& work) {
    if (target_ == nullptr) return Fail(ErrorCode::kUsage, StrCat(Printable(name_), ": the writer is closed"));
    if (failed_) return tl::unexpected(*failed_);
    Result<void> done = WithMemory("what is written", [&] { return work(*target_); });
    if (done) {
      Count();
    } else {
      failed_ = done.error();
    }
    return done;
  }

  std::unique_ptr<Target> target_;  // null once closed
  std::string name_;
  const PayloadRules rules_;
  Framing framing_;
  std::unique_ptr<PayloadMaker> maker_;  // null while it is in use; guarded by the GIL
  uint64_t fork_;
  std::mutex mutex_;  // guards all that follows; never waited for while holding the GIL
  std::optional<Error> failed_;
  std::atomic<bool> closed_ = false;
  std::atomic<uint64_t> records_ = 0;
  std::atomic<uint64_t> size_ = 0;
};

extern template class Output<RecordWriter>;
extern template class Output<ShardSetWriter>;

}  // namespace ofindex::python
