#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "index/build/builder.h"
#include "index/columns/column_choice.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct Arguments {
  BuildOptions options;
  std::string format = "auto";
  std::string payload = "auto";
  std::string compression = "auto";
  std::string columns;
  bool wait = false;
};

Json ToJson(const BuildReport& report, double seconds) {
  const double per_second = seconds > 0 && !report.was_up_to_date ? 1 / seconds : 0;
  return {{"schema", "ofindex.build/1"},
          {"index", JsonText(report.index)},
          {"up_to_date", report.was_up_to_date},
          {"records", report.facts.records},
          {"payload_bytes", report.facts.payload_bytes},
          {"data_bytes", report.facts.data_bytes},
          {"index_bytes", report.index_bytes},
          {"map_bytes", report.map_bytes},
          {"shards", report.shards.size()},
          {"seconds", seconds},
          {"records_per_second", static_cast<double>(report.facts.records) * per_second},
          {"bytes_per_second", static_cast<double>(report.facts.data_bytes) * per_second},
          {"features", report.features.size()},
          {"features_without_column", report.without_column},
          {"features_dropped", report.facts.features_dropped},
          {"bad", JsonBad(report.bad, report.shards)},
          {"damage", JsonDamage(report.damage, report.shards)},
          {"skipped", JsonSkipped(report.skipped)},
          {"columns_in_no_record", JsonTexts(ColumnsInNoRecord(report))},
          {"missing", JsonTexts(report.missing)}};
}

std::string Summary(const BuildReport& report, double seconds) {
  const DatasetFacts& facts = report.facts;
  std::string text =
      StrCat(Printable(report.index), ": ", Counted(facts.records, "record"), " in ",
             Counted(report.shards.size(), "shard"), ", ", FormatBytes(static_cast<double>(facts.data_bytes)));
  if (report.was_up_to_date) return text + "; up to date, nothing to do";
  const double rate = seconds > 0 ? static_cast<double>(facts.records) / seconds : 0;
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%.2f s", seconds);
  text += StrCat("; ", time.data(), ", ", FormatCount(static_cast<uint64_t>(rate)), " records/s");
  if (facts.checked == Checked::kPayloads) text += ", every payload checked";
  return text;
}

void PrintWarnings(const BuildReport& report, const Context& context) {
  std::vector<std::string> notes = NotesOf(report, [](const std::string& path) { return path; });
  if (!report.map_damage.empty()) notes.push_back(StrCat(report.map_damage, "; the map was rebuilt"));
  if (report.without_column != 0) {
    notes.push_back(StrCat(Counted(report.without_column, "feature"), " without a column: the first ", kMaxAutoColumns,
                           " in byte order have one; name those that you need with --columns"));
  }
  if (report.facts.features_dropped) {
    notes.push_back("too many feature names: the index has the first in byte order, and those that --columns names");
  }
  if (const auto names = ColumnsInNoRecord(report); !names.empty()) notes.push_back(DescribeInNoRecord(names, report));
  PrintNotes(notes, context);
}

// Unreadable files are missing from the index, and their content is unknown: the worst outcome of a build.
int ReportUnreadable(const BuildReport& report, const Context& context) {
  std::vector<std::string> texts;
  for (const SkippedFile& file : report.skipped) {
    if (IsUnreadable(file)) texts.push_back(StrCat(Printable(file.path), ": ", Printable(file.reason)));
  }
  if (texts.empty()) return 0;
  PrintError({ErrorCode::kIo, texts.front(),
              "everything else is in the index; make it readable, and run `ofindex build --force`"},
             context);
  PrintMoreErrors(std::vector<std::string>(texts.begin() + 1, texts.end()), context);
  return ExitCode(ErrorCode::kIo);
}

// Damage does not fail the build, since the index is complete; the exit code reports that the data are damaged.
int ReportDamage(const BuildReport& report, const Context& context) {
  if (report.damage.empty() && report.bad.empty()) return 0;
  std::vector<std::string> texts;
  for (const DamageRow& damage : report.damage) texts.push_back(Describe(damage, report.shards));
  for (const BadRow& bad : report.bad) texts.push_back(Describe(bad, report.shards));
  const bool pointers = std::any_of(report.damage.begin(), report.damage.end(), [](const DamageRow& damage) {
    return damage.range.reason == DamageReason::kLfsPointer;
  });
  PrintError({ErrorCode::kDamage, texts.front(),
              pointers ? std::string("run `git lfs pull`, and then `ofindex build --force`")
                       : StrCat("every intact record is in the index; `ofindex info ", Printable(report.index),
                                "` lists the damage")},
             context);
  PrintMoreErrors(std::vector<std::string>(texts.begin() + 1, texts.end()), context);
  return ExitCode(ErrorCode::kDamage);
}

Result<int> Build(Arguments& arguments, Context& context) {
  BuildOptions& options = arguments.options;
  options.format.framing = arguments.format == "auto" ? std::nullopt : ParseFraming(arguments.format);
  options.format.compression = arguments.compression == "auto" ? std::nullopt : ParseCompression(arguments.compression);
  options.format.payload = arguments.payload == "auto" ? std::nullopt : ParsePayloadKind(arguments.payload);
  if (!arguments.columns.empty()) {
    OFINDEX_ASSIGN(options.columns, ColumnChoice::Parse(arguments.columns));
  }
  if (arguments.wait) options.if_locked = AtomicFile::IfLocked::kWait;
  const auto start = std::chrono::steady_clock::now();
  std::optional<ProgressDisplay> display(std::in_place, "build", context);
  Result<BuildReport> report = BuildIndex(options, context.progress);
  display.reset();
  if (!report) return tl::unexpected(std::move(report).error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  PrintWarnings(*report, context);
  if (context.json) {
    OFINDEX_TRY(Output::Standard().Line(Dump(ToJson(*report, seconds))));
  } else if (!context.quiet) {
    OFINDEX_TRY(Output::Standard().Line(Summary(*report, seconds)));
  }
  OFINDEX_TRY(Output::Standard().Flush());
  const int damaged = ReportDamage(*report, context);
  const int unreadable = ReportUnreadable(*report, context);
  return unreadable != 0 ? unreadable : damaged;
}

void AddFormatOptions(Verb& verb, Arguments& arguments) {
  verb.AddOption("--format", arguments.format, "FORMAT", "auto, tfrecord or ofrecord; default auto, by content")
      .OneOf({"auto", "tfrecord", "ofrecord"});
  verb.AddOption("--payload", arguments.payload, "PAYLOAD",
                 "auto, example, sequence_example, ofrecord or opaque; default auto, by content")
      .OneOf({"auto", "example", "sequence_example", "ofrecord", "opaque"});
  verb.AddOption("--compression", arguments.compression, "COMPRESSION",
                 "auto, none, gzip, zlib or deflate (bare); default auto, by content, which never detects deflate")
      .OneOf({"auto", "none", "gzip", "zlib", "deflate"});
}

void AddInflateOptions(Verb& verb, InflateOptions& inflate) {
  verb.AddMebibytes("--checkpoint-every", inflate.checkpoint_bytes, 1, 1024,
                    "Compressed shards: inflated MiB between access points; default 2");
  verb.AddNumber("--max-ratio", inflate.max_ratio, "N",
                 "Compressed shards: the most inflated bytes per byte of the file; a shard beyond that is refused as a "
                 "bomb; default 200")
      .Between(1, 2000);
  verb.AddMebibytes("--max-inflated", inflate.max_bytes, 1, uint64_t{1} << 40,
                    "Compressed shards: the most inflated MiB per shard; a shard beyond that is refused as a bomb; "
                    "default 1048576 (1 TiB)");
}

void AddColumnOptions(Verb& verb, Arguments& arguments) {
  verb.AddOption("--columns", arguments.columns, "NAME,...",
                 "Features that become columns: auto (those with one short value in some record), none (payloads are "
                 "not decoded), comma-separated names (lists included), or auto,NAME,... (both); default auto")
      .NotEmpty();
  verb.AddFlag("--columns-optional", arguments.options.columns_optional,
               "Build even if no record has a feature that --columns names; default: an error");
  verb.AddOption("--descriptor", arguments.options.descriptor, "FILE",
                 "A FileDescriptorSet (protoc --descriptor_set_out) that describes the payloads");
  verb.AddOption("--message", arguments.options.message, "pkg.Name",
                 "The payloads' message in --descriptor; --columns then names its fields, as a or b.c");
}

}  // namespace

void AddBuild(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "build", "Read shards once and write their index", Formats::kJson);
  auto arguments = std::make_shared<Arguments>();
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
  verb.AddFlag("--force", options.force, "Build even if there is an index, and replace it; default: off");
  verb.AddFlag("--wait", arguments->wait,
               "Wait for another process that is building the same index, and use its result");
  verb.Runs([arguments, &context] { return Build(*arguments, context); });
}

}  // namespace ofindex
