#include "tools/shell/progress_display.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "base/threads.h"
#include "tools/shell/json.h"
#include "tools/terminal/terminal.h"
#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

using std::chrono::milliseconds;

double Share(uint64_t done, uint64_t total) {
  return total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
}

std::string ClockText(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%u:%02u", static_cast<unsigned>(whole / 60),
                static_cast<unsigned>(whole % 60));
  return text.data();
}

// Cuts `text` so that it does not wrap, whatever the width of the terminal is now.
std::string OneLine(const std::string& text) {
  const size_t width = TerminalWidth(STDERR_FILENO).value_or(text.size() + 1);
  return CutToWidth(text, width - 1);
}

}  // namespace

ProgressDisplay::ProgressDisplay(const char* verb, const Context& context) : verb_(verb), progress_(context.progress) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  switch (context.progress_mode) {
    case ProgressMode::kNone: style_ = Style::kNone; break;
    case ProgressMode::kJson: style_ = Style::kJson; break;
    case ProgressMode::kPlain: style_ = Style::kPlain; break;
    case ProgressMode::kAuto: style_ = terminal && !IsDumbTerminal() ? Style::kLine : Style::kPlain; break;
  }
  if (context.quiet && style_ != Style::kJson) style_ = Style::kNone;
  if (style_ == Style::kNone) return;
  if (auto started = StartThread([this] { Loop(); })) thread_ = std::move(*started);
}

ProgressDisplay::~ProgressDisplay() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ProgressDisplay::Loop() {
  const milliseconds interval = style_ == Style::kLine   ? milliseconds(100)
                                : style_ == Style::kJson ? milliseconds(1000)
                                                         : milliseconds(30000);
  std::unique_lock lock(mutex_);
  // If memory runs out, the display is skipped.
  const auto show = [&](bool last) {
    static_cast<void>(WithMemory("progress", [&]() -> Result<void> {
      Show(last);
      return {};
    }));
  };
  while (!changed_.wait_for(lock, interval, [&] { return done_; })) show(false);
  show(true);
}

void ProgressDisplay::Show(bool last) const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string text;
  switch (style_) {
    case Style::kNone: return;
    case Style::kLine: text = StrCat("\r\x1b[K", last ? "" : OneLine(Figures(seconds))); break;
    case Style::kPlain:
      if (last) return;
      text = StrCat(Figures(seconds), "\n");
      break;
    case Style::kJson: text = StrCat(JsonLine(seconds), "\n"); break;
  }
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

std::string ProgressDisplay::Figures(double seconds) const {
  const uint64_t done = progress_.bytes_done;
  const uint64_t total = progress_.bytes_total;
  const double share = Share(done, total);
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string text = StrCat(verb_, "  ", static_cast<int>(share * 100), "%  ", FormatBytes(static_cast<double>(done)),
                            " of ", FormatBytes(static_cast<double>(total)), "  ", FormatBytes(rate), "/s");
  if (progress_.shards_total != 0) {
    text += StrCat("  ", FormatCount(progress_.shards_done), "/", FormatCount(progress_.shards_total), " shards");
  }
  if (rate > 0 && total > done) text += StrCat("  ETA ", ClockText(static_cast<double>(total - done) / rate));
  return text;
}

std::string ProgressDisplay::JsonLine(double seconds) const {
  return Dump({{"schema", "ofindex.progress/1"},
               {"verb", verb_},
               {"seconds", seconds},
               {"bytes_done", progress_.bytes_done.load()},
               {"bytes_total", progress_.bytes_total.load()},
               {"records_done", progress_.records_done.load()},
               {"shards_done", progress_.shards_done.load()},
               {"shards_total", progress_.shards_total.load()}});
}

}  // namespace ofindex
