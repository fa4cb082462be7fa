#include <memory>
#include <optional>
#include <vector>

#include "base/text.h"
#include "index/finding/resolve_index.h"
#include "index/verify/verifier.h"
#include "mmap/offsets/offset_map.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/shell/shown_paths.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

Json ToJson(const VerifyReport& report) {
  Json bad = Json::array();
  for (const VerifyReport::Bad& one : report.bad) {
    bad.push_back({{"record", one.record},
                   {"shard", JsonText(report.shards[one.shard].path)},
                   {"offset", one.offset},
                   {"reason", Name(one.fault)}});
  }
  Json stale = Json::array();
  for (const StaleFile& file : StaleFiles(report)) {
    stale.push_back({{"shard", JsonText(file.path)}, {"reason", JsonText(file.reason)}});
  }
  return {{"schema", "ofindex.verify/1"},
          {"records_checked", report.records_checked},
          {"bytes_checked", report.bytes_checked},
          {"all_payloads_checked", report.all_payloads_checked},
          {"empty_of_records", report.empty_of_records},
          {"gone_records", report.gone_records},
          {"bad", std::move(bad)},
          {"stale", std::move(stale)},
          {"damage", JsonDamage(report.damage, report.shards)},
          {"keys", JsonTexts(report.key_damage)},
          {"attached", report.attached_damage.empty() ? Json(nullptr) : Json(JsonText(report.attached_damage))},
          {"map", report.map_damage.empty() ? Json(nullptr) : Json(JsonText(report.map_damage))}};
}

Result<void> PrintReport(const VerifyReport& report, const VerifyOptions& options, Output& out) {
  const ShownPaths shown(options.index);
  const std::vector<ShardRow> shards = shown.In(report.shards);
  if (!report.map_damage.empty()) OFINDEX_TRY(out.Line(StrCat("map     ", report.map_damage)));
  for (const std::string& key : report.key_damage) OFINDEX_TRY(out.Line(StrCat("key     ", key)));
  if (!report.attached_damage.empty()) OFINDEX_TRY(out.Line(StrCat("attach  ", report.attached_damage)));
  for (const VerifyReport::Stale& one : report.stale) OFINDEX_TRY(out.Line(StrCat("stale   ", one.reason)));
  for (const VerifyReport::Stale& one : report.failed) OFINDEX_TRY(out.Line(StrCat("failed  ", one.reason)));
  for (const std::string& path : report.unindexed) {
    OFINDEX_TRY(out.Line(StrCat("stale   ", Printable(shown(path)), ": ", kNotInIndex)));
  }
  for (const SkippedFile& file : report.unreadable) {
    OFINDEX_TRY(out.Line(StrCat("stale   ", Printable(shown(file.path)), ": ", Printable(file.reason))));
  }
  for (const DamageRow& damage : report.damage) OFINDEX_TRY(out.Line(StrCat("damage  ", Describe(damage, shards))));
  for (const VerifyReport::Bad& one : report.bad) {
    OFINDEX_TRY(out.Line(StrCat("bad     ", Printable(shards[one.shard].path), "@", one.offset, ": record ", one.record,
                                " is bad: ", Name(one.fault))));
  }
  const char* verdict = report.clean() ? "clean" : "not clean";
  if (options.quick) {
    return out.Line(StrCat(verdict, ": fingerprints of ", Counted(report.shards.size(), "shard"), " compared"));
  }
  return out.Line(StrCat(verdict, ": ", Counted(report.records_checked, "record"), ", ",
                         FormatBytes(static_cast<double>(report.bytes_checked)), " checked"));
}

void PrintGone(const VerifyReport& report, const Context& context) {
  if (report.gone_records == 0) return;
  PrintNote(StrCat("note: ", Counted(report.gone_records, "record"),
                   " gone with their shards, not checked; `ofindex info` lists the shards"),
            context);
}

void PrintWarnings(const VerifyReport& report, const Context& context) {
  if (report.lacks_checksums) {
    PrintNote("note: OFRecord has no checksums, and this index has none; `ofindex build --verify` stores them",
              context);
  }
  if (report.empty_of_records != 0) {
    PrintNote(StrCat("note: ", Counted(report.empty_of_records, "empty OFRecord"),
                     ": sound, but OneFlow's reader stops at them"),
              context);
  }
}

Result<int> Verify(VerifyOptions& options, Context& context) {
  OFINDEX_ASSIGN(options.index, ResolveIndex(options.index));
  std::optional<ProgressDisplay> display(std::in_place, "verify", context);
  Result<VerifyReport> report = VerifyDataset(options, context.progress);
  display.reset();
  if (!report) return tl::unexpected(std::move(report).error());
  Output& out = Output::Standard();
  if (context.json) {
    OFINDEX_TRY(out.Line(Dump(ToJson(*report))));
  } else if (!context.quiet) {
    OFINDEX_TRY(PrintReport(*report, options, out));
  }
  PrintGone(*report, context);
  if (!options.quick) PrintWarnings(*report, context);
  OFINDEX_TRY(out.Flush());
  if (!report->map_damage.empty()) {
    PrintError({ErrorCode::kIndex, report->map_damage, kOffsetMapHint}, context);
  }
  if (!report->failed.empty()) {
    PrintError({ErrorCode::kIo, report->failed.front().reason, "make the shard readable, and verify again"}, context);
    std::vector<std::string> rest;
    for (size_t i = 1; i < report->failed.size(); ++i) rest.push_back(report->failed[i].reason);
    PrintMoreErrors(rest, context);
    return ExitCode(ErrorCode::kIo);
  }
  return report->clean() ? 0 : 1;
}

}  // namespace

void AddVerify(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "verify", "Compare the shards with everything that the index knows about them",
                      Formats::kJson);
  auto options = std::make_shared<VerifyOptions>();
  verb.AddArgument("INDEX", options->index, "The index, or the DATA that it is named after").Required();
  verb.AddFlag("--quick", options->quick, "Compare only fingerprints");
  verb.AddOption("-j,--threads", options->threads, "N", "Computing threads; default: one per processor")
      .Between(1, 1024);
  verb.AddOption("--root", options->root, "DIR", "Folder with a copy of the dataset");
  verb.Runs([options, &context] { return Verify(*options, context); });
}

}  // namespace ofindex
