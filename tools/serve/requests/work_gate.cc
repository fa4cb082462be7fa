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
    gate_->free_ += weight_;
  }
  gate_->freed_.notify_all();
}

Result<WorkGate::Pass> WorkGate::Enter(const Progress& progress, uint64_t weight) {
  std::unique_lock lock(mutex_);
  if (free_ < weight || !waiting_.empty()) {
    if (waiting_.size() >= seats_) {
      return Fail(ErrorCode::kLocked, "'ofindex serve' answers as many questions as it can already",
                  "ask again in a moment");
    }
    const auto place = waiting_.insert(waiting_.end(), weight);
    const auto has_turn = [&] { return place == waiting_.begin() && free_ >= weight; };
    // It looks again and again, because whoever cancels does not know of this gate.
    while (!has_turn() && !progress.cancel) freed_.wait_for(lock, kBetweenAttempts);
    waiting_.erase(place);
    freed_.notify_all();
  }
  if (progress.cancel) return Interrupted();
  free_ -= weight;
  return Pass(*this, weight);
}

}  // namespace ofindex
