#pragma once

#include <memory>
#include <mutex>

#include "base/progress.h"

namespace ofindex {

/// The question that a client has asked last: a newer one ends the older. Thread-safe.
class LatestQuestion {
 public:
  /// Cancels the question that was begun before, and returns the progress of the new one, which others may cancel, too.
  [[nodiscard]] std::shared_ptr<Progress> Begin() {
    auto begun = std::make_shared<Progress>();
    const std::lock_guard lock(mutex_);
    if (latest_ != nullptr) latest_->cancel = true;
    latest_ = begun;
    return begun;
  }

  /// Cancels the question that was begun last, if there is one.
  void End() {
    const std::lock_guard lock(mutex_);
    if (latest_ != nullptr) latest_->cancel = true;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Progress> latest_;
};

}  // namespace ofindex
