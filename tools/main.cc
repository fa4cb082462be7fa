// The ofindex command: parses the command line, runs one verb, and returns its exit code (docs/cli.md).

#include <cxxabi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include "base/allocation.h"
#include "index/catalog/paths.h"
#include "tools/options/command_line.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

Context* signalled_context = nullptr;

// The first signal asks the verb to stop and clean up; the second one ends the process.
void OnStopSignal(int) {
  if (signalled_context->progress.cancel.exchange(true)) ::_exit(130);
}

void InstallSignals(Context& context) {
  signalled_context = &context;
  struct sigaction action {};
  action.sa_handler = OnStopSignal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {  // as under nohup
    ::sigaction(SIGHUP, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write: see Output
  ::signal(SIGXFSZ, SIG_IGN);  // as is one beyond the file size limit
}

// Raises the descriptor limit to the maximum, since the command owns its process. The library accepts the limit
// that it finds.
void TakeAllDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Some libraries let the lack of memory leave a function that must not throw, such as a destructor, which ends the
// process. It ends with the exit code and a reason then, and its files are as after a kill. Allocates nothing.
[[noreturn]] void OnTerminate() {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  if (thrown == nullptr || *thrown != typeid(std::bad_alloc)) std::abort();
  constexpr std::string_view kText =
      "ofindex: out of memory\nhint: give it more memory, or ask for less at once, and run it again\n";
  static_cast<void>(::write(STDERR_FILENO, kText.data(), kText.size()));
  ::_exit(ExitCode(ErrorCode::kLimit));
}

// Runs the verb, and flushes its output.
Result<int> RunVerb(const VerbBody& body) {
  auto outcome = WithMemory("this command", body);
  if (!outcome && outcome.error().code == ErrorCode::kInterrupted) return outcome;
  auto flushed = WithMemory("the output", [] { return Output::Standard().Flush(); });
  if (outcome && !flushed) return tl::unexpected(std::move(flushed).error());
  return outcome;
}

Result<int> Run(int argc, char** argv, Context& context) {
  CommandLine line({.program = "ofindex",
                    .summary = "Random access to the records of OFRecord and TFRecord files, in place",
                    .version = OFINDEX_VERSION,
                    .examples = {{"ofindex build data/train", "Reads the shards once, and writes data/train.ofidx"},
                                 {"ofindex get data/train 5 -1", "Shows record 5 and the last one"}}});
  AddBuild(line, context);
  AddUpdate(line, context);
  AddMerge(line, context);
  AddKey(line, context);
  AddAttach(line, context);
  AddDetach(line, context);
  AddInfo(line, context);
  AddSchema(line, context);
  AddStats(line, context);
  AddAudit(line, context);
  AddReport(line, context);
  AddWhere(line, context);
  AddSample(line, context);
  AddSplit(line, context);
  AddVerify(line, context);
  AddGet(line, context);
  AddCat(line, context);
  AddSql(line, context);
  AddServe(line, context);
  AddPack(line, context);
  AddConvert(line, context);
  AddExport(line, context);
  AddHelp(line, context);
  OFINDEX_ASSIGN(const VerbBody body, line.Parse(argc, argv));
  context.verb = line.verb();
  if (!context.index_folder.empty()) ::setenv(kIndexFolderVariable, context.index_folder.c_str(), /*overwrite=*/1);
  return RunVerb(body);
}

int Main(int argc, char** argv) {
  std::set_terminate(OnTerminate);
  Context context;
  InstallSignals(context);
  TakeAllDescriptors();
  const Result<int> outcome = WithMemory("this command", [&]() -> Result<int> {
    Output::Standard().StopOn(context.progress.cancel);
    return Run(argc, argv, context);
  });
  if (outcome) return *outcome;
  // If there is no memory for the message, only the exit code reports the error.
  static_cast<void>(WithMemory("a message", [&]() -> Result<void> {
    PrintError(outcome.error(), context);
    return {};
  }));
  return ExitCode(outcome.error().code);
}

}  // namespace
}  // namespace ofindex

int main(int argc, char** argv) { return ofindex::Main(argc, argv); }
