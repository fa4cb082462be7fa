#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "index/finding/resolve_index.h"
#include "index/merge/merger.h"
#include "tools/report/build_report.h"
#include "tools/shell/progress_display.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct MergeArguments {
  MergeOptions options;
  bool wait = false;
};

Result<int> Merge(MergeArguments& arguments, Context& context) {
  MergeOptions& options = arguments.options;
  for (std::string& input : options.inputs) {
    OFINDEX_ASSIGN(input, ResolveIndex(input));
  }
  if (arguments.wait) options.if_locked = AtomicFile::IfLocked::kWait;
  const auto start = std::chrono::steady_clock::now();
  std::optional<ProgressDisplay> display(std::in_place, "merge", context);
  const Result<BuildReport> report = MergeIndexes(options, context.progress);
  display.reset();
  if (!report) return tl::unexpected(report.error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return PrintBuild(*report, "merge", seconds, context);
}

}  // namespace

void AddMerge(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "merge", "Make one index of parts, or of whole indexes", Formats::kJson);
  auto arguments = std::make_shared<MergeArguments>();
  MergeOptions& options = arguments->options;
  verb.AddArgument("INDEX", options.inputs, "Parts of one job (`ofindex build --part`) in any order, or whole indexes")
      .Required();
  verb.AddOption("-o,--output", options.index, "INDEX", "The index to write").NotEmpty().Required();
  verb.AddOption("-j,--threads", options.threads, "N",
                 "Computing threads, if a part must be built again; default: one per processor")
      .Between(1, 1024);
  verb.AddFlag("--columns-optional", options.columns_optional,
               "Merge all parts even if no record has a feature that --columns of the parts names; default: an error");
  verb.AddFlag("--force", options.force, "Replace an index that is there, but no whole index by a part; default: off");
  verb.AddFlag(
      "--wait", arguments->wait,
      "Wait for another process that is writing the same index; without --force, an index that it leaves is an error");
  verb.Runs([arguments, &context] { return Merge(*arguments, context); });
}

}  // namespace ofindex
