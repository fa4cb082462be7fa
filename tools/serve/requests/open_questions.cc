#include "tools/serve/requests/open_questions.h"

#include <algorithm>

#include "base/text.h"
#include "base/threads.h"

namespace ofindex {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks{10};

}  // namespace

Error OpenQuestion::Explain(Error error) const {
  if (error.code != ErrorCode::kInterrupted || !late_) return error;
  return {ErrorCode::kLimit, StrCat("the answer took more than ", OpenQuestions::kDeadline.count(), " seconds"),
          "ask a simpler question, or run `ofindex sql` or `ofindex stats`, which wait"};
}

Result<void> OpenQuestion::Check() const {
  if (!progress_->cancel) return {};
  return tl::unexpected(Explain(Interrupted().value()));
}

void OpenQuestion::CancelInTime() {
  if (gone_ != nullptr && *gone_) progress_->cancel = true;
  if (Clock::now() < deadline_ || progress_->cancel) return;
  late_ = true;
  progress_->cancel = true;
}

Result<std::unique_ptr<OpenQuestions>> OpenQuestions::Start() {
  std::unique_ptr<OpenQuestions> questions(new OpenQuestions());
  OFINDEX_ASSIGN(questions->watcher_, StartThread([all = questions.get()] { all->Watch(); }));
  return questions;
}

OpenQuestions::~OpenQuestions() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

std::shared_ptr<OpenQuestion> OpenQuestions::Begin(const Request& request) {
  return Add(std::make_shared<Progress>(), request);
}

std::shared_ptr<OpenQuestion> OpenQuestions::Begin(const Request& request, const std::string& page) {
  if (page.empty()) return Begin(request);
  std::shared_ptr<Progress> progress;
  {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const auto& other) { return other.first == page; };
    const auto found = std::find_if(pages_.begin(), pages_.end(), same);
    if (found == pages_.end()) {
      pages_.emplace_front(std::piecewise_construct, std::tuple(page), std::tuple());
      if (pages_.size() > kMaxPages) pages_.pop_back();
    } else {
      pages_.splice(pages_.begin(), pages_, found);
    }
    progress = pages_.front().second.Begin();
  }
  return Add(std::move(progress), request);
}

std::shared_ptr<OpenQuestion> OpenQuestions::Add(std::shared_ptr<Progress> progress, const Request& request) {
  auto question =
      std::make_shared<OpenQuestion>(std::move(progress), request.gone, OpenQuestion::Clock::now() + kDeadline);
  question->CancelInTime();  // its client may have gone while it waited
  {
    const std::lock_guard lock(mutex_);
    open_.push_back(question);
  }
  changed_.notify_all();
  return question;
}

void OpenQuestions::Watch() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    open_.erase(std::remove_if(open_.begin(), open_.end(), [](const auto& one) { return one.expired(); }), open_.end());
    for (const auto& one : open_) {
      if (const auto question = one.lock()) question->CancelInTime();
    }
    if (open_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, kBetweenChecks);
    }
  }
}

}  // namespace ofindex
