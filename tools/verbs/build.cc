#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "index/build/builder.h"
#include "index/catalog/paths.h"
#include "index/columns/column_choice.h"
#include "index/finding/missing_paths.h"
#include "index/parts/part_plan.h"
#include "index/shards/output_rule.h"
#include "tools/report/build_report.h"
#include "tools/shell/progress_display.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct BuildArguments {
  BuildOptions options;
  std::string format = "auto";
  std::string payload = "auto";
  std::string compression = "auto";
  std::string columns;
  std::vector<std::string> derive;
  std::string part;
  bool wait = false;
};

// For tests of killed builds, which would take too long otherwise.
std::chrono::milliseconds SaveAfter() {
  const char* text = std::getenv("OFINDEX_SAVE_AFTER_MS");
  uint32_t number = 0;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), number).ec != std::errc()) return kSaveAfter;
  return std::chrono::milliseconds(number);
}

// An index is no DATA.
Result<void> CheckData(const std::vector<std::string>& data) {
  for (const std::string& path : data) {
    if (!path.ends_with(kIndexSuffix) || !IsOutput(path, OutputKind::kIndex)) continue;
    return Fail(ErrorCode::kUsage, StrCat(Printable(path), ": an index; expected DATA: files or folders of records"),
                StrCat("bring an index up to date with `ofindex update ", PathWord(path, "INDEX"),
                       "`, or put several together with `ofindex merge`"));
  }
  return {};
}

Result<int> Build(BuildArguments& arguments, Context& context) {
  BuildOptions& options = arguments.options;
  OFINDEX_TRY(CheckData(options.data));
  options.format.framing = arguments.format == "auto" ? std::nullopt : ParseFraming(arguments.format);
  options.format.compression = arguments.compression == "auto" ? std::nullopt : ParseCompression(arguments.compression);
  options.format.payload = arguments.payload == "auto" ? std::nullopt : ParsePayloadKind(arguments.payload);
  if (!arguments.columns.empty()) {
    OFINDEX_ASSIGN(options.columns, ColumnChoice::Parse(arguments.columns));
  }
  if (!arguments.derive.empty()) {
    OFINDEX_ASSIGN(options.derive, Derivations::Of(arguments.derive));
  }
  if (!arguments.part.empty()) {
    OFINDEX_ASSIGN(options.part, PartChoice::Parse(arguments.part));
  }
  options.save_after = SaveAfter();
  if (arguments.wait) options.if_locked = AtomicFile::IfLocked::kWait;
  const auto start = std::chrono::steady_clock::now();
  std::optional<ProgressDisplay> display(std::in_place, "build", context);
  Result<BuildReport> report = BuildIndex(options, context.progress);
  display.reset();
  if (!report) return tl::unexpected(std::move(report).error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  return PrintBuild(*report, "build", seconds, context);
}

void AddFormatOptions(Verb& verb, BuildArguments& arguments) {
  verb.AddOption("--format", arguments.format, "FORMAT", "auto, tfrecord or ofrecord; default auto, by content")
      .OneOf({"auto", "tfrecord", "ofrecord"});
  verb.AddOption("--payload", arguments.payload, "PAYLOAD",
                 "auto, example, sequence_example, ofrecord or opaque; default auto, by content")
      .OneOf({"auto", "example", "sequence_example", "ofrecord", "opaque"});
  verb.AddOption("--compression", arguments.compression, "COMPRESSION",
                 "auto, none, gzip, zlib or deflate (bare); default auto, by content, which never detects deflate")
      .OneOf({"auto", "none", "gzip", "zlib", "deflate"});
}

void AddColumnOptions(Verb& verb, BuildArguments& arguments) {
  verb.AddOption("--columns", arguments.columns, "NAME,...",
                 "Features that become columns: auto (those with one short value in some record), none (payloads are "
                 "not decoded), comma-separated names, or auto,NAME,... (both); default auto. A named feature with "
                 "several values in some record is stored as a JSON array in every record; otherwise, records with "
                 "several values are NULL")
      .NotEmpty()
      .Suggests({"auto", "none"});
  verb.AddOption("--derive", arguments.derive, "NAME:WHAT",
                 "Also store columns made of the bytes of feature NAME; may be repeated. WHAT is image (NAME#width, "
                 "NAME#height, NAME#channels and NAME#format, from the header of the first value), hash (NAME#hash) or "
                 "length (NAME#length); default: none")
      .NotEmpty();
  verb.AddFlag("--columns-optional", arguments.options.columns_optional,
               "Build even if no record has a feature that --columns or --derive names; default: an error");
  verb.AddOption("--key", arguments.options.keys, "NAME",
                 "A feature by whose values `ofindex get` finds records at once; may be given several times; default: "
                 "no key")
      .NotEmpty()
      .Completes(Completes::kFeature);
  verb.AddOption("--descriptor", arguments.options.descriptor, "FILE",
                 "A FileDescriptorSet (protoc --descriptor_set_out) that describes the payloads");
  verb.AddOption("--message", arguments.options.message, "pkg.Name",
                 "The payloads' message in --descriptor; --columns then names its fields, as a or b.c");
}

}  // namespace

void AddBuild(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "build", "Read shards once and write their index", Formats::kJson);
  auto arguments = std::make_shared<BuildArguments>();
  BuildOptions& options = arguments->options;
  verb.AddArgument("DATA", options.data,
                   "Files, folders, quoted globs, @LIST (one path per line), @- (the same from standard input)")
      .Required();
  verb.AddOption("-o,--output", options.index, "INDEX", "The index to write; default: DATA.ofidx next to DATA")
      .NotEmpty();
  verb.AddFlag("--verify", options.verify,
               "Also read every payload byte: check CRC32C (TFRecord), store a hash of each record");
  AddFormatOptions(verb, *arguments);
  AddInflateOptions(verb, options.inflate);
  AddColumnOptions(verb, *arguments);
  verb.AddOption("-j,--threads", options.threads, "N", "Computing threads; default: one per processor")
      .Between(1, 1024);
  verb.AddOption("--part", arguments->part, "K/N",
                 "Build only part K of N, here or on another machine, as DATA.part-K-of-N.ofidx; `ofindex merge` puts "
                 "the parts together; default: all of it")
      .NotEmpty();
  verb.AddFlag(
      "--force", options.force,
      "Build even if there is an index, and replace it; default: keep an index of the same shards, if it was built "
      "with these options, and refuse to replace one of other shards");
  verb.AddFlag("--wait", arguments->wait,
               "Wait for another process that is building the same index, and use its result");
  verb.Runs([arguments, &context] { return Build(*arguments, context); });
}

}  // namespace ofindex
