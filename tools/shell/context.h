#pragma once

#include <functional>
#include <string>

#include "base/progress.h"
#include "base/result.h"

namespace ofindex {

/// When to use a feature that suits a terminal but not a file.
enum class When { kAuto, kAlways, kNever };

enum class ProgressMode { kAuto, kPlain, kJson, kNone };

/// The options common to all verbs, and the progress of the running one. One per process.
struct Context {
  bool json = false;
  bool jsonl = false;
  bool quiet = false;
  int verbose = 0;
  ProgressMode progress_mode = ProgressMode::kAuto;
  When color = When::kAuto;
  Progress progress;
};

/// Runs a verb after its command line was parsed. Returns the exit code of a completed run: 0, 1 if the answer is no,
/// or 3 if the data are damaged.
using VerbBody = std::function<Result<int>()>;

}  // namespace ofindex
