#include "tools/report/build_report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/columns/column_choice.h"
#include "tools/report/column_notes.h"
#include "tools/report/key_report.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/shown_paths.h"

namespace ofindex {
namespace {

Json ToJson(const BuildReport& report, const std::string& verb, double seconds) {
  const double per_second = seconds > 0 && !report.was_up_to_date ? 1 / seconds : 0;
  Json json = {{"schema", StrCat("ofindex.", verb, "/1")},
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
               {"lists_as_null", JsonListsAsNull(report)},
               {"columns_in_no_record", JsonTexts(ColumnsInNoRecord(report))},
               {"missing", JsonTexts(report.missing)}};
  const std::optional<PartFacts>& part = report.facts.part;
  json["part"] = part ? Json{{"first", part->first}, {"last", part->last}, {"of", part->of}} : Json();
  if (verb == "merge") json["renumbered"] = report.renumbered;
  if (verb == "build") json["columns_dropped"] = JsonTexts(report.dropped.names);
  json["keys"] = JsonKeys(report.keys);
  json["keys_dropped"] = JsonTexts(report.dropped_keys);
  if (verb == "build") json["resumed_records"] = report.resumed_records;
  return json;
}

std::string Summary(const BuildReport& report, double seconds) {
  const DatasetFacts& facts = report.facts;
  std::string text = StrCat(Printable(report.index), ": ", facts.part ? Describe(*facts.part) + ", " : "",
                            Counted(facts.records, "record"), " in ", Counted(report.shards.size(), "shard"), ", ",
                            FormatBytes(static_cast<double>(facts.data_bytes)));
  if (report.was_up_to_date) return text + "; up to date, nothing to do";
  const double rate = seconds > 0 ? static_cast<double>(facts.records) / seconds : 0;
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%.2f s", seconds);
  text += StrCat("; ", time.data(), ", ", FormatCount(static_cast<uint64_t>(rate)), " records/s");
  if (facts.checked == Checked::kPayloads) text += ", every payload checked";
  return text;
}

// Returns the shard that a part begins inside of. It may have entered the shard at bytes that only look like a record,
// so all that it found wrong there is provisional.
std::optional<uint32_t> UncertainShard(const BuildReport& report) {
  const std::optional<PartFacts>& part = report.facts.part;
  const bool begins_inside = part && !part->partial.empty() && part->partial.front().begin != 0;
  return begins_inside ? std::optional(part->partial.front().shard) : std::nullopt;
}

// Damage and bad records, described.
struct Findings {
  std::vector<std::string> certain;
  std::vector<std::string> provisional;
};

Findings FindingsOf(const BuildReport& report) {
  Findings findings;
  const std::optional<uint32_t> uncertain = UncertainShard(report);
  if (report.damage.empty() && report.bad.empty()) return findings;
  const std::vector<ShardRow> shards = ShownPaths(report.index).In(report.shards);
  const auto add = [&](const auto& row) {
    (uncertain == row.shard ? findings.provisional : findings.certain).push_back(Describe(row, shards));
  };
  for (const DamageRow& damage : report.damage) add(damage);
  for (const BadRow& bad : report.bad) add(bad);
  return findings;
}

// Adds notes on what only a merge decides.
void AddNotesOnPart(const BuildReport& report, std::vector<std::string>& notes) {
  const std::string part = Describe(*report.facts.part);
  for (const std::string& finding : FindingsOf(report).provisional) {
    notes.push_back(StrCat("provisional: ", finding, "; ", part,
                           " begins inside this shard, perhaps at bytes that only look like a record: `ofindex merge` "
                           "checks it"));
  }
}

// Returns "part 1", "parts 1 to 3", or "parts 1 to 3 and 8", those that a merged part lacks.
std::string MissingParts(const PartFacts& part) {
  std::string text;
  const auto add = [&](uint32_t first, uint32_t last) {
    if (first > last) return;
    if (!text.empty()) text += " and ";
    text += first == last ? StrCat(first) : StrCat(first, " to ", last);
  };
  add(1, part.first - 1);
  add(part.last + 1, part.of);
  const bool one = text.find(' ') == std::string::npos;
  return (one ? "part " : "parts ") + text;
}

void PrintWarnings(const BuildReport& report, const std::string& verb, const Context& context) {
  std::vector<std::string> notes = NotesOf(report, ShownPaths(report.index));
  AddNotesOnIndex(report, verb, notes);
  if (report.facts.part) {
    AddNotesOnPart(report, notes);
  } else {
    if (const auto names = ColumnsInNoRecord(report); !names.empty()) {
      notes.push_back(DescribeInNoRecord(names, report));
    }
    if (const auto names = UnderivedFeatures(report); !names.empty()) {
      notes.push_back(DescribeUnderived(names, report));
    }
  }
  if (!report.facts.part && !report.was_up_to_date) AddNotesOnColumns(report, notes);
  if (report.resumed_records != 0) {
    notes.push_back(
        StrCat(Counted(report.resumed_records, "record"), " taken up from an earlier build that was stopped"));
  }
  if (verb == "merge" && report.facts.part) {
    notes.push_back(StrCat("not an index yet: ", MissingParts(*report.facts.part), " of ", report.facts.part->of,
                           " must be merged with it"));
  }
  if (report.renumbered) {
    notes.push_back(
        "records are numbered again, in natural order of the paths of their shards: ordinals and sampler "
        "states of the merged indexes do not hold for this one");
  }
  PrintNotes(notes, context);
}

// Returns how to build what `verb` has made again, from data that were mended.
std::string HowToRepeat(const BuildReport& report, const std::string& verb) {
  if (verb == "update") return "run `ofindex update` again";
  if (verb == "merge") {
    return "build what was merged again, with `ofindex build --force` (parts with `--part K/N`), and merge again";
  }
  const std::optional<PartFacts>& part = report.facts.part;
  return part ? StrCat("run `ofindex build --part ", part->first, "/", part->of, " --force`")
              : std::string("run `ofindex build --force`");
}

// Unreadable files are missing from the index, and their content is unknown: the worst outcome of a build.
int ReportUnreadable(const BuildReport& report, const std::string& verb, const Context& context) {
  std::vector<std::string> texts;
  const ShownPaths shown(report.index);
  for (const SkippedFile& file : report.skipped) {
    if (IsUnreadable(file)) texts.push_back(StrCat(Printable(shown(file.path)), ": ", Printable(file.reason)));
  }
  if (texts.empty()) return 0;
  PrintError({ErrorCode::kIo, texts.front(),
              StrCat("everything else is in the index; make it readable, and ", HowToRepeat(report, verb))},
             context);
  PrintMoreErrors(std::vector<std::string>(texts.begin() + 1, texts.end()), context);
  return ExitCode(ErrorCode::kIo);
}

// Returns the path of an index as one word of a shell, or what stands for a path that cannot be printed.
std::string IndexWord(const std::string& path) {
  if (Printable(path) != path) return "INDEX";
  return ShellWord(path.find_first_of("-@") == 0 ? "./" + path : path);
}

// Damage does not fail the build, since the index is complete; the exit code reports that the data are damaged.
int ReportDamage(const BuildReport& report, const std::string& verb, const Context& context) {
  const std::vector<std::string> texts = FindingsOf(report).certain;
  if (texts.empty()) return 0;
  const bool pointers = std::any_of(report.damage.begin(), report.damage.end(), [](const DamageRow& damage) {
    return damage.range.reason == DamageReason::kLfsPointer;
  });
  std::string hint =
      StrCat("every intact record is in the index; `ofindex info ", IndexWord(report.index), "` lists the damage",
             report.facts.checked == Checked::kFraming ? "; payloads were not checked: --verify does that" : "");
  if (report.facts.part)
    hint = "every intact record is in the part; merge all parts, and `ofindex info` lists the damage";
  if (pointers) hint = "run `git lfs pull`, and then " + HowToRepeat(report, verb);
  PrintError({ErrorCode::kDamage, texts.front(), std::move(hint)}, context);
  PrintMoreErrors(std::vector<std::string>(texts.begin() + 1, texts.end()), context);
  return ExitCode(ErrorCode::kDamage);
}

}  // namespace

void AddNotesOnIndex(const BuildReport& report, const std::string& verb, std::vector<std::string>& notes) {
  if (!report.map_damage.empty()) notes.push_back(StrCat(report.map_damage, "; the map was rebuilt"));
  if (report.without_column != 0) {
    notes.push_back(StrCat(Counted(report.without_column, "feature"), " without a column: the first ", kMaxAutoColumns,
                           " in byte order have one; ",
                           verb == "update" ? "a new index, built with --columns, has those that you name"
                                            : "name those that you need with --columns"));
  }
  if (report.facts.features_dropped) {
    notes.push_back("too many feature names: the index has the first in byte order, and those that --columns names");
  }
  if (!report.not_attached.empty()) {
    notes.push_back(StrCat(report.not_attached, "; `ofindex detach ", IndexWord(report.index), " --all` removes them"));
  }
  for (const KeyReport& key : report.keys) notes.push_back(Describe(key));
  for (const std::string& name : report.dropped_keys) {
    notes.push_back(StrCat("key ", Printable(name), " was removed with the index that it belonged to; `ofindex key ",
                           IndexWord(report.index), " ", ShellWord(Printable(name)), "` makes it"));
  }
}

Result<int> PrintBuild(const BuildReport& report, const std::string& verb, double seconds, const Context& context) {
  PrintWarnings(report, verb, context);
  return PrintOutcome(report, verb, context.json ? Dump(ToJson(report, verb, seconds)) : Summary(report, seconds),
                      context);
}

Result<int> PrintOutcome(const BuildReport& report, const std::string& verb, const std::string& text,
                         const Context& context) {
  if (context.json || !context.quiet) OFINDEX_TRY(Output::Standard().Line(text));
  OFINDEX_TRY(Output::Standard().Flush());
  const int damaged = ReportDamage(report, verb, context);
  const int unreadable = ReportUnreadable(report, verb, context);
  return unreadable != 0 ? unreadable : damaged;
}

}  // namespace ofindex
