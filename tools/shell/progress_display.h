#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "tools/shell/context.h"

namespace ofindex {

/// Shows the progress of the running verb on standard error, from its own thread, as long as this object lives:
/// on a terminal a line that is rewritten, otherwise a line every thirty seconds; or, for launchers, a JSON
/// object every second.
class ProgressDisplay {
 public:
  /// `verb` is printed before the figures. `context` must outlive the display.
  ProgressDisplay(const char* verb, const Context& context);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

 private:
  enum class Style { kNone, kLine, kPlain, kJson };

  void Loop();
  void Show(bool last) const;
  [[nodiscard]] std::string Figures(double seconds) const;
  [[nodiscard]] std::string JsonLine(double seconds) const;

  const char* verb_;
  const Progress& progress_;
  Style style_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace ofindex
