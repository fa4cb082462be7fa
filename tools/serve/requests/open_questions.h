#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/crossfilter/latest_question.h"
#include "tools/http/exchange.h"

namespace ofindex {

/// A question that is being answered. It is cancelled when a newer one of the same page begins, when nobody waits for
/// the answer any more, and at its deadline.
class OpenQuestion {
 public:
  using Clock = std::chrono::steady_clock;

  OpenQuestion(std::shared_ptr<Progress> progress, std::shared_ptr<const std::atomic<bool>> gone,
               Clock::time_point deadline)
      : progress_(std::move(progress)), gone_(std::move(gone)), deadline_(deadline) {}

  [[nodiscard]] const Progress& progress() const { return *progress_; }

  /// Returns `error`, but kLimit instead of kInterrupted if the deadline has ended the question.
  [[nodiscard]] Error Explain(Error error) const;

  /// Returns why the question was cancelled, if it was.
  [[nodiscard]] Result<void> Check() const;

  /// Cancels the question if its time has come.
  void CancelInTime();

 private:
  std::shared_ptr<Progress> progress_;
  std::shared_ptr<const std::atomic<bool>> gone_;  // may be null
  Clock::time_point deadline_;
  std::atomic<bool> late_{false};
};

/// The questions that are being answered, and a thread that cancels them in time. Thread-safe.
class OpenQuestions {
 public:
  static constexpr std::chrono::seconds kDeadline{10};

  /// Errors: kLimit if there is no thread.
  [[nodiscard]] static Result<std::unique_ptr<OpenQuestions>> Start();

  ~OpenQuestions();

  /// Begins a question that is not replaced by others.
  [[nodiscard]] std::shared_ptr<OpenQuestion> Begin(const Request& request);

  /// Begins a question of a page, which cancels the one before of the same page, if `page` is not empty.
  [[nodiscard]] std::shared_ptr<OpenQuestion> Begin(const Request& request, const std::string& page);

 private:
  static constexpr size_t kMaxPages = 64;  // that are remembered

  OpenQuestions() = default;
  void Watch();
  [[nodiscard]] std::shared_ptr<OpenQuestion> Add(std::shared_ptr<Progress> progress, const Request& request);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::vector<std::weak_ptr<OpenQuestion>> open_;
  std::list<std::pair<std::string, LatestQuestion>> pages_;  // the latest first
  std::thread watcher_;
};

}  // namespace ofindex
