#include "tools/report_page/dataset_sections.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "index/catalog/shard_files.h"
#include "tools/shell/messages.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxSchemaRows = 500;
constexpr size_t kMaxShardRows = 100;
constexpr size_t kMaxFaults = 50;
constexpr size_t kMaxShownName = 120;  // characters

std::string BytesShown(uint64_t bytes) { return FormatBytes(static_cast<double>(bytes)); }

void WriteFact(std::string_view name, std::string_view text, Html& html) {
  html.Open("div").Element("dt", name).Open("dd").Element("bdi", text).Close().Close();
}

void WriteHead(std::initializer_list<std::string_view> names, size_t numbers_from, size_t numbers_to, Html& html) {
  html.Open("thead").Open("tr");
  size_t place = 0;
  for (const std::string_view name : names) {
    const bool is_number = place >= numbers_from && place < numbers_to;
    html.Element("th", {{"scope", "col"}, {"class", is_number ? "n" : "t"}}, name);
    ++place;
  }
  html.Close().Close();
}

void WriteMore(size_t all, size_t shown, std::string_view what, Html& html) {
  if (all > shown) html.Element("p", {{"class", "left-out"}}, StrCat("and ", Counted(all - shown, what)));
}

// Returns "tfrecord of examples, gzip": what the shards are, each once.
std::string FormatsOf(const std::vector<ShardRow>& shards) {
  std::set<std::string> formats;
  for (const ShardRow& shard : shards) {
    if (shard.framing == Framing::kEmpty) continue;
    const std::string packed = shard.compression == Compression::kNone ? "" : StrCat(", ", Name(shard.compression));
    formats.insert(StrCat(Name(shard.framing), " of ", Name(shard.payload), packed));
  }
  std::string text;
  for (const std::string& format : formats) text += StrCat(text.empty() ? "" : "; ", format);
  return text.empty() ? "no records" : text;
}

std::string TotalBytesText(const PageFacts& facts) {
  uint64_t readable = 0;
  for (const ShardRow& shard : facts.shards) readable += shard.readable_bytes();
  const std::string inflated = AnyCompressed(facts.shards) ? BytesShown(readable) + ", inflated from " : "";
  return StrCat(BytesShown(facts.dataset.payload_bytes), " of ", inflated, BytesShown(facts.dataset.data_bytes));
}

// Returns what is wrong, in a sentence for each kind.
std::vector<std::string> FaultsOf(const PageFacts& facts) {
  std::vector<std::string> faults;
  for (const ShardState state : {ShardState::kMissing, ShardState::kChanged, ShardState::kUnreadable}) {
    const uint64_t count = facts.states.Count(state);
    if (count > 0) faults.push_back(StrCat(Counted(count, "shard"), " ", Name(state)));
  }
  if (!facts.gone.empty()) faults.push_back(StrCat(Counted(facts.gone.size(), "shard"), " taken out by an update"));
  if (!facts.damage.empty()) {
    faults.push_back(StrCat(Counted(facts.damage.size(), "range"), " of bytes without a record"));
  }
  if (!facts.bad.empty()) faults.push_back(StrCat(Counted(facts.bad.size(), "damaged record")));
  return faults;
}

void WriteAlert(const PageFacts& facts, Html& html) {
  if (!facts.has_damage()) return;
  std::string text;
  for (const std::string& fault : FaultsOf(facts)) text += StrCat(text.empty() ? "" : "; ", fault);
  html.Open("p", {{"class", "alert"}}).Element("b", "Not all data is sound: ").Text(text + ". ");
  html.Element("a", {{"href", "#shards"}}, "Details").Close();
}

std::string PresentText(const FeatureRow& row, uint64_t records) {
  return row.present >= records ? "0" : FormatCount(records - row.present);
}

std::string ValuesText(const FeatureRow& row) {
  if (row.values_min == row.values_max) return FormatCount(row.values_min);
  return StrCat(FormatCount(row.values_min), " to ", FormatCount(row.values_max));
}

// Writes the faults that the index records, which name their shards.
void WriteFaults(const PageFacts& facts, Html& html) {
  if (facts.damage.empty() && facts.bad.empty() && facts.skipped.empty() && facts.gone.empty()) return;
  html.Open("ul", {{"class", "faults"}});
  const auto item = [&](const std::string& text) { html.Open("li").Element("bdi", text).Close(); };
  const auto some = [](const auto& all) { return std::min(all.size(), kMaxFaults); };
  for (size_t i = 0; i < some(facts.gone); ++i) {
    item(StrCat(ShownText(facts.gone[i].path, kMaxShownName), ": taken out in generation ", facts.gone[i].gone,
                ", with ", Counted(facts.gone[i].records, "record")));
  }
  for (size_t i = 0; i < some(facts.damage); ++i) item(Describe(facts.damage[i], facts.shards));
  for (size_t i = 0; i < some(facts.bad); ++i) item(Describe(facts.bad[i], facts.shards));
  for (size_t i = 0; i < some(facts.skipped); ++i) {
    item(StrCat(ShownText(facts.skipped[i].path, kMaxShownName), ": not in the index: ", facts.skipped[i].reason));
  }
  html.Close();
  const size_t all = facts.gone.size() + facts.damage.size() + facts.bad.size() + facts.dataset.skipped;
  const size_t shown = some(facts.gone) + some(facts.damage) + some(facts.bad) + some(facts.skipped);
  WriteMore(all, shown, "more fault", html);
}

// Returns the shards that are shown: those with a fault first, then the others, each in their order.
std::vector<size_t> ShownShards(const PageFacts& facts) {
  std::vector<size_t> order;
  for (const bool sound : {false, true}) {
    for (size_t i = 0; i < facts.shards.size() && order.size() < kMaxShardRows; ++i) {
      if ((facts.states.states[i] == ShardState::kSound) == sound) order.push_back(i);
    }
  }
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

void WriteHeader(const PageFacts& facts, const std::string& title, Html& html) {
  html.Open("header").Element("p", {{"class", "kicker"}}, "Dataset report");
  html.Open("h1").Element("bdi", title).Close();
  html.Open("dl", {{"class", "totals"}});
  WriteFact("records", FormatCount(facts.dataset.records), html);
  WriteFact("payload", TotalBytesText(facts), html);
  WriteFact("shards", FormatCount(facts.shards.size()), html);
  WriteFact("features", FormatCount(facts.features.size()), html);
  WriteFact("format", FormatsOf(facts.shards), html);
  WriteFact("checked", facts.dataset.checked == Checked::kPayloads ? "framing and every payload" : "framing", html);
  WriteFact("index",
            StrCat(ShownText(facts.name, kMaxShownName), ", ", BytesShown(facts.index_bytes), ", generation ",
                   facts.generation),
            html);
  WriteFact("id", ToHex(facts.dataset.id).substr(0, 16), html);
  html.Close();
  WriteAlert(facts, html);
  html.Open("nav", {{"aria-label", "Contents"}}).Open("ul");
  struct Entry {
    std::string_view to;
    std::string_view name;
  };
  for (const Entry& entry :
       {Entry{"#records", "Random records"}, Entry{"#columns", "Columns"}, Entry{"#extremes", "Extremes"},
        Entry{"#schema", "Features"}, Entry{"#shards", "Shards and damage"}, Entry{"#equal", "Duplicates"},
        Entry{"#commands", "Commands"}}) {
    html.Open("li").Element("a", {{"href", entry.to}}, entry.name).Close();
  }
  html.Close().Close().Close();
}

void WriteSchema(const PageFacts& facts, Html& html) {
  html.Open("section", {{"id", "schema"}}).Element("h2", "Features");
  if (facts.features.empty()) {
    html.Element("p", {{"class", "lead"}},
                 "The records have no features: their payloads are not messages of examples.");
    html.Close();
    return;
  }
  html.Open("div", {{"class", "wide"}}).Open("table").Element("caption", "What the records hold");
  WriteHead({"feature", "kinds", "type in SQL", "values per record", "largest value", "absent in"}, 3, 6, html);
  html.Open("tbody");
  const size_t shown = std::min(facts.features.size(), kMaxSchemaRows);
  for (size_t i = 0; i < shown; ++i) {
    const FeatureRow& row = facts.features[i];
    const std::string type = MainType(row);
    html.Open("tr").Open("th", {{"scope", "row"}}).Open("bdi");
    html.Element("code", ShownText(row.name, kMaxShownName)).Close();
    if (!row.origin.empty()) html.Text(" ").Element("small", ShownText(row.origin, kMaxShownName));
    html.Close().Element("td", KindNames(row.kinds)).Element("td", type.empty() ? "\u2013" : type);
    html.Element("td", {{"class", "n"}}, ValuesText(row));
    html.Element("td", {{"class", "n"}}, row.largest_bytes == 0 ? "\u2013" : BytesShown(row.largest_bytes));
    html.Element("td", {{"class", "n"}}, PresentText(row, facts.dataset.records)).Close();
  }
  html.Close().Close().Close();
  WriteMore(facts.features.size(), shown, "more feature", html);
  html.Close();
}

void WriteShards(const PageFacts& facts, Html& html) {
  html.Open("section", {{"id", "shards"}}).Element("h2", "Shards and damage");
  const char* sound = "Every shard is the file that was indexed, and the index knows of no damage.";
  html.Element("p", {{"class", "lead"}},
               facts.has_damage() ? "What the index and the files tell without reading every record:" : sound);
  WriteFaults(facts, html);
  const std::vector<size_t> shown = ShownShards(facts);
  html.Open("div", {{"class", "wide"}}).Open("table").Element("caption", "The files that hold the records");
  WriteHead({"shard", "format", "records", "bytes", "state"}, 2, 4, html);
  html.Open("tbody");
  for (const size_t i : shown) {
    const ShardRow& shard = facts.shards[i];
    html.Open("tr").Open("th", {{"scope", "row"}}).Open("bdi");
    html.Element("code", ShownText(shard.path, kMaxShownName)).Close().Close();
    html.Element("td", FormatsOf({shard})).Element("td", {{"class", "n"}}, FormatCount(shard.records));
    html.Element("td", {{"class", "n"}}, FormatCount(shard.identity.size));
    const ShardState state = facts.states.states[i];
    html.Element("td", {{"class", state == ShardState::kSound ? "sound" : "fault"}}, Name(state)).Close();
  }
  html.Close().Close().Close();
  WriteMore(facts.shards.size(), shown.size(), "more shard", html);
  html.Close();
}

void WriteEqualRecords(const PageFacts& facts, Html& html) {
  html.Open("section", {{"id", "equal"}}).Element("h2", "Duplicates");
  if (!facts.equal) {
    html.Open("p", {{"class", "lead"}}).Text("The index stores no hashes of payloads. ");
    html.Element("code", StrCat("ofindex audit ", ShellWord(facts.name)));
    html.Text(" reads the records and finds equal ones; ").Element("code", "ofindex build --verify");
    html.Text(" stores their hashes for this page.").Close().Close();
    return;
  }
  const EqualRecords& equal = *facts.equal;
  if (equal.groups == 0) {
    html.Element("p", {{"class", "lead"}}, "No two payloads have the same hash, so all records are different.").Close();
    return;
  }
  html.Element("p", {{"class", "lead"}},
               StrCat(Counted(equal.groups, "group"), " of records with the same hash of the payload; ",
                      FormatCount(equal.repeats), equal.repeats == 1 ? " record repeats" : " records repeat",
                      " an earlier one."));
  html.Open("div", {{"class", "wide"}}).Open("table").Element("caption", "The largest groups");
  WriteHead({"records", "which"}, 0, 1, html);
  html.Open("tbody");
  for (const EqualRecords::Group& group : equal.largest) {
    std::string which;
    for (const uint64_t ordinal : group.first) which += StrCat(which.empty() ? "" : ", ", ordinal);
    if (group.size > group.first.size()) which += ", \u2026";
    html.Open("tr").Element("td", {{"class", "n"}}, FormatCount(group.size)).Element("td", which).Close();
  }
  html.Close().Close().Close();
  WriteMore(equal.groups, equal.largest.size(), "smaller group", html);
  html.Close();
}

void WriteCommands(const std::vector<ShownCommand>& commands, Html& html) {
  html.Open("section", {{"id", "commands"}}).Element("h2", "Commands");
  html.Open("dl", {{"class", "commands"}});
  for (const ShownCommand& shown : commands) {
    html.Open("div").Open("dt").Element("code", shown.command).Close().Element("dd", shown.effect).Close();
  }
  html.Close().Close();
}

}  // namespace ofindex
