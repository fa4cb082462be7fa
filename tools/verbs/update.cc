#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/finding/resolve_index.h"
#include "index/update/updater.h"
#include "tools/report/build_report.h"
#include "tools/report/key_report.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/progress_display.h"
#include "tools/shell/shown_paths.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct UpdateArguments {
  UpdateOptions options;
  std::string index;
  bool wait = false;
};

Json ToJson(const ChangedShard& shard) {
  Json json = {{"path", JsonText(shard.path)}, {"records", shard.records}};
  if (!shard.before.empty()) json["before"] = JsonText(shard.before);
  if (shard.change == ShardChange::kGrown) json["new_records"] = shard.new_records;
  return json;
}

Json ToJson(const UpdateReport& report, double seconds) {
  const BuildReport& written = report.written;
  Json json = {{"schema", "ofindex.update/1"},
               {"index", JsonText(written.index)},
               {"up_to_date", written.was_up_to_date},
               {"generation", report.generation},
               {"records", written.facts.records},
               {"new_records", report.new_records},
               {"gone_records", report.gone_records},
               {"ordinals", written.facts.ordinals},
               {"renumbered", report.renumbered},
               {"pruned_records", report.pruned_records},
               {"shards", written.shards.size()},
               {"unchanged", report.unchanged},
               {"seconds", seconds}};
  for (const ShardChange change : kListedChanges) {
    Json shards = Json::array();
    for (const ChangedShard& shard : report.shards) {
      if (shard.change == change) shards.push_back(ToJson(shard));
    }
    json[std::string(Name(change))] = std::move(shards);
  }
  json["attached_columns"] = JsonTexts(report.attached_columns);
  json["columns_added"] = JsonTexts(report.columns_added);
  json["columns_removed"] = JsonTexts(report.columns_removed);
  json["features_without_column"] = written.without_column;
  json["features_dropped"] = written.facts.features_dropped;
  json["keys"] = JsonKeys(written.keys);
  json["keys_dropped"] = JsonTexts(written.dropped_keys);
  json["missing_in_sets"] = JsonTexts(written.missing);
  json["bad"] = JsonBad(written.bad, written.shards);
  json["damage"] = JsonDamage(written.damage, written.shards);
  json["skipped"] = JsonSkipped(written.skipped);
  return json;
}

std::string Describe(const ChangedShard& shard, bool pruned, const ShownPaths& shown) {
  std::string text = StrCat(Name(shard.change), " ", Printable(shown(shard.path)), ": ");
  switch (shard.change) {
    case ShardChange::kMoved: return StrCat(text, "was ", Printable(shown(shard.before)));
    case ShardChange::kGrown: return StrCat(text, Counted(shard.new_records, "new record"));
    case ShardChange::kMissing:
      return StrCat(text, Counted(shard.records, "record"), pruned ? " dropped" : ", gone until it is restored");
    default: return StrCat(text, Counted(shard.records, "record"));
  }
}

std::string Summary(const UpdateReport& report, double seconds) {
  const BuildReport& written = report.written;
  std::string text = StrCat(Printable(written.index), ": ", Counted(written.facts.records, "record"), " in ",
                            Counted(written.shards.size(), "shard"), ", generation ", report.generation);
  if (written.was_up_to_date) return text + "; up to date, nothing to do";
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%.2f s", seconds);
  return StrCat(text, "; ", FormatCount(report.new_records), " new, ", FormatCount(report.gone_records), " gone; ",
                time.data());
}

// The records of a changed shard are new ones.
void AddNotesOnAttached(const UpdateReport& report, std::vector<std::string>& notes) {
  std::string names;
  for (const std::string& name : report.attached_columns) {
    names += (names.empty() ? "" : ", ") + Printable(name);
    for (const std::string& added : report.columns_added) {
      if (Folded(added) != Folded(name)) continue;
      notes.push_back(StrCat("column ", Printable(name),
                             " of the index has the name of an attached column: drop that with ",
                             "`ofindex detach INDEX NAME`"));
    }
  }
  if (names.empty() || report.new_records == 0) return;
  notes.push_back(StrCat("attached columns are NULL for ", Counted(report.new_records, "new record"), ": ", names));
}

Result<int> Print(const UpdateReport& report, bool prune, double seconds, const Context& context) {
  const ShownPaths shown(report.written.index);
  std::vector<std::string> notes;  // what must be read first comes first: a long list is cut off
  if (report.renumbered) {
    notes.push_back(StrCat("ordinals moved: ", Counted(report.pruned_records, "gone record"), " dropped"));
  } else if (prune) {
    notes.push_back("nothing to prune: no ordinal moved");
  }
  AddNotesOnIndex(report.written, "update", notes);
  for (const ChangedShard& shard : report.shards) notes.push_back(Describe(shard, report.renumbered, shown));
  for (std::string& note : NotesOnFiles(report.newly_skipped, report.written.missing, shown)) {
    notes.push_back(std::move(note));
  }
  for (const std::string& name : report.columns_removed) {
    notes.push_back(
        StrCat("column ", Printable(name), " was removed: its values have become too long, or their records are gone"));
  }
  for (const std::string& name : report.columns_added) notes.push_back(StrCat("new column ", Printable(name)));
  AddNotesOnAttached(report, notes);
  PrintNotes(notes, context);
  return PrintOutcome(report.written, "update", context.json ? Dump(ToJson(report, seconds)) : Summary(report, seconds),
                      context);
}

Result<int> Update(UpdateArguments& arguments, Context& context) {
  UpdateOptions& options = arguments.options;
  OFINDEX_ASSIGN(options.index, ResolveIndex(arguments.index));
  if (arguments.wait) options.if_locked = AtomicFile::IfLocked::kWait;
  const auto start = std::chrono::steady_clock::now();
  std::optional<ProgressDisplay> display(std::in_place, "update", context);
  const Result<UpdateReport> report = UpdateIndex(options, context.progress);
  display.reset();
  if (!report) return tl::unexpected(report.error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return Print(*report, options.prune, seconds, context);
}

}  // namespace

void AddUpdate(CommandLine& line, Context& context) {
  Verb verb =
      AddVerb(line, context, "update", "Take new, grown, changed and missing shards into an index", Formats::kJson);
  auto arguments = std::make_shared<UpdateArguments>();
  UpdateOptions& options = arguments->options;
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddArgument("DATA", options.data, "More files, folders, globs or @LISTs, taken in from now on");
  verb.AddFlag("--verify", options.verify,
               "Also check every payload byte of the shards that are read; default: as the index was built");
  verb.AddFlag("--prune", options.prune,
               "Also drop what is gone and put all shards in the order of a new build; ordinals move");
  AddInflateOptions(verb, options.inflate);
  verb.AddOption("-j,--threads", options.threads, "N", "Computing threads; default: one per processor")
      .Between(1, 1024);
  verb.AddFlag("--wait", arguments->wait, "Wait for another process that is writing the same index");
  verb.Runs([arguments, &context] { return Update(*arguments, context); });
}

}  // namespace ofindex
