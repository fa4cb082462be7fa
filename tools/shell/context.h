#pragma once

#include <string>
#include <vector>

#include "base/progress.h"

namespace ofindex {

/// When to use a feature that suits a terminal but not a file.
enum class When { kAuto, kAlways, kNever };

enum class ProgressMode { kAuto, kPlain, kJson, kNone };

/// The options common to all verbs, and the progress of the running one. One per process.
struct Context {
  std::string verb;  // empty: the command line names none
  bool json = false;
  bool jsonl = false;
  bool quiet = false;
  int verbose = 0;
  ProgressMode progress_mode = ProgressMode::kAuto;
  When color = When::kAuto;
  std::string index_folder;              // empty: none was given
  std::vector<std::string> attachments;  // files of attached columns, of verbs that read an index
  Progress progress;
};

}  // namespace ofindex
