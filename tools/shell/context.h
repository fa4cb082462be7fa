#pragma once

#include <functional>
#include <string>

#include "base/progress.h"
#include "base/result.h"

namespace ofindex {

/// When to do something that a terminal likes and a file does not.
enum class When { kAuto, kAlways, kNever };

enum class ProgressMode { kAuto, kPlain, kJson, kNone };

/// What every verb is told on its command line, and the progress of the one that runs. One per process.
struct Context {
  bool json = false;
  bool jsonl = false;
  bool quiet = false;
  int verbose = 0;
  ProgressMode progress_mode = ProgressMode::kAuto;
  When color = When::kAuto;
  Progress progress;
};

/// What a verb does once its command line was understood. Returns the exit code of a run that came to an end: 0, or 1
/// and 3 where the answer is no or the data are damaged.
using VerbBody = std::function<Result<int>()>;

}  // namespace ofindex
