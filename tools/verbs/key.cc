#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "index/build/key_set.h"
#include "index/finding/resolve_index.h"
#include "tools/report/key_report.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct KeyArguments {
  std::string index;
  std::vector<std::string> names;
  unsigned threads = 0;
  bool wait = false;
};

Result<int> MakeKeys(const KeyArguments& arguments, Context& context) {
  OFINDEX_ASSIGN(const std::string index, ResolveIndex(arguments.index));
  KeyOptions options{.threads = arguments.threads};
  if (arguments.wait) options.if_locked = AtomicFile::IfLocked::kWait;
  const auto start = std::chrono::steady_clock::now();
  std::vector<KeyReport> made;
  {
    const ProgressDisplay display("key", context);
    for (const std::string& name : arguments.names) {
      options.name = name;
      OFINDEX_ASSIGN(KeyReport report, MakeKey(index, options, context.progress));
      made.push_back(std::move(report));
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Output& out = Output::Standard();
  if (context.json) {
    OFINDEX_TRY(out.Line(Dump(
        {{"schema", "ofindex.key/1"}, {"index", JsonText(index)}, {"keys", JsonKeys(made)}, {"seconds", seconds}})));
  } else if (!context.quiet) {
    std::array<char, 32> time{};
    std::snprintf(time.data(), time.size(), "%.2f s", seconds);
    for (const KeyReport& report : made) OFINDEX_TRY(out.Line(StrCat(Describe(report), "; ", time.data())));
  }
  return 0;
}

}  // namespace

void AddKey(CommandLine& line, Context& context) {
  Verb verb =
      AddVerb(line, context, "key", "Make a key: a lookup of records by the value of a feature", Formats::kJson);
  auto arguments = std::make_shared<KeyArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddArgument("NAME", arguments->names, "Features of byte strings or integers; each gets a key of its own")
      .Required()
      .Completes(Completes::kFeature);
  verb.AddOption("-j,--threads", arguments->threads, "N", "Computing threads; default: one per processor")
      .Between(1, 1024);
  verb.AddFlag("--wait", arguments->wait, "Wait for another process that is making the same key");
  verb.Runs([arguments, &context] { return MakeKeys(*arguments, context); });
}

}  // namespace ofindex
