// The ofindex command: parses the command line, runs one verb, and returns its exit code (docs/cli.md).

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/allocation.h"
#include "base/text.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr char kVersion[] = "ofindex " OFINDEX_VERSION;

}  // namespace

CLI::App* AddVerb(CLI::App& app, Context& context, const char* name, const char* help, Formats formats) {
  CLI::App* verb = app.add_subcommand(name, help);
  if (formats != Formats::kNone) {
    CLI::Option* json = verb->add_flag("--json", context.json, "One JSON document on standard output");
    if (formats == Formats::kJsonAndJsonl) {
      verb->add_flag("--jsonl", context.jsonl, "One JSON object per line")->excludes(json);
    } else {
      verb->add_flag("--jsonl", context.json, "The same, on one line")->excludes(json);
    }
  }
  verb->set_version_flag("--version", kVersion);
  verb->add_flag("-q,--quiet", context.quiet, "No messages except errors");
  verb->add_flag("-v,--verbose", context.verbose, "More messages");
  static const std::map<std::string, ProgressMode> kModes = {{"auto", ProgressMode::kAuto},
                                                             {"plain", ProgressMode::kPlain},
                                                             {"json", ProgressMode::kJson},
                                                             {"none", ProgressMode::kNone}};
  verb->add_option(
          "--progress", context.progress_mode,
          "On standard error: auto (a line on a terminal, otherwise plain), plain (a line every 30 s), json (an "
          "object per line), none; default auto")
      ->transform(CLI::CheckedTransformer(kModes).description(""))
      ->type_name("MODE");
  static const std::map<std::string, When> kWhen = {
      {"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}};
  verb->add_option("--color", context.color,
                   "auto, always or never; auto obeys NO_COLOR and CLICOLOR_FORCE; default auto")
      ->transform(CLI::CheckedTransformer(kWhen).description(""))
      ->type_name("WHEN");
  return verb;
}

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
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write: see Output
  ::signal(SIGXFSZ, SIG_IGN);  // as is one beyond the file size limit
}

int Usage(const CLI::App& app, const CLI::ParseError& error, const Context& context) {
  // Help and version are not errors: CLI11 prints them to standard output.
  if (error.get_exit_code() == 0) return app.exit(error);
  // CLI11 reports an unknown word as "a subcommand is required".
  const std::vector<std::string> unknown = app.remaining();
  if (app.get_subcommands().empty() && !unknown.empty()) {
    PrintError(
        {ErrorCode::kUsage, StrCat("there is no verb '", Printable(unknown.front()), "'"), "see `ofindex --help`"},
        context);
    return ExitCode(ErrorCode::kUsage);
  }
  std::string verb;
  for (const CLI::App* sub : app.get_subcommands()) verb = " " + sub->get_name();
  PrintError({ErrorCode::kUsage, error.what(), "see `ofindex" + verb + " --help`"}, context);
  return ExitCode(ErrorCode::kUsage);
}

// Raises the descriptor limit to the maximum, since the command owns its process. The library accepts the limit
// that it finds.
void TakeAllDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
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
  CLI::App app{
      "Random access to the records of OFRecord and TFRecord files, in place.\n\n"
      "  ofindex build data/train       read the shards once, write data/train.ofidx\n"
      "  ofindex get data/train 5 -1    show record 5 and the last one\n"};
  app.name("ofindex");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  VerbBody body;
  AddBuild(app, context, body);
  AddInfo(app, context, body);
  AddSchema(app, context, body);
  AddStats(app, context, body);
  AddWhere(app, context, body);
  AddSample(app, context, body);
  AddVerify(app, context, body);
  AddGet(app, context, body);
  AddCat(app, context, body);
  AddSql(app, context, body);
  AddPack(app, context, body);
  AddConvert(app, context, body);
  AddExport(app, context, body);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Usage(app, error, context);
  }
  return RunVerb(body);
}

int Main(int argc, char** argv) {
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
