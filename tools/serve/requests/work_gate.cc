#include "tools/serve/requests/work_gate.h"

#include <chrono>

namespace ofindex {
namespace {

constexpr std::chrono::milliseconds kBetweenAttempts{10};

}  // namespace

WorkGate::Pass::~Pass() {
  if (gate_ == nullptr) return;
  {
    const std::lock_guard lock(gate_->mutex_);
    ++gate_->free_;
  }
  gate_->freed_.notify_one();
}

Result<WorkGate::Pass> WorkGate::Enter(const Progress& progress) {
  std::unique_lock lock(mutex_);
  if (free_ == 0) {
    if (seats_ == 0) {
      return Fail(ErrorCode::kLimit, "'ofindex serve' answers as many questions as it can already",
                  "ask again in a moment");
    }
    --seats_;
    // Whoever cancels does not know of this gate.
    while (free_ == 0 && !progress.cancel) freed_.wait_for(lock, kBetweenAttempts);
    ++seats_;
  }
  if (progress.cancel) {
    lock.unlock();
    freed_.notify_one();
    return Interrupted();
  }
  --free_;
  return Pass(*this);
}

}  // namespace ofindex
