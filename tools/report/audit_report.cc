#include "tools/report/audit_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <span>

#include "base/text.h"
#include "tools/shell/table.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kShownRecords = 6;  // of a group, in text

// "the same payload", "the same bytes of image/encoded", or "like images in image/encoded, up to 31 bits apart".
std::string ComparedText(const AuditText& text) {
  if (text.near) {
    return StrCat("like images in ", Printable(text.feature), ", up to ", Counted(*text.near, "bit"), " of ",
                  SimilarityHash::kBits, " apart");
  }
  return text.feature.empty() ? "the same payload" : StrCat("the same bytes of ", Printable(text.feature));
}

std::string SetText(const SetReport& set, const AuditText& text, bool has_parts) {
  const RecordFacts& facts = set.compared;
  std::string line = StrCat(Printable(set.index), ": ", Counted(facts.records, "record"));
  if (facts.bad != 0) line += StrCat(", ", FormatCount(facts.bad), " bad and not compared");
  if (facts.without != 0) {
    line += StrCat(", ", FormatCount(facts.without), " without ", Printable(text.feature), " and not compared");
  }
  if (facts.undecodable != 0) {
    line += StrCat(", ", FormatCount(facts.undecodable),
                   " not decoded and compared by their bytes alone, the first of which is record ",
                   facts.first_undecodable, " (", facts.cause, ")");
  }
  if (facts.plain != 0) line += StrCat(", ", FormatCount(facts.plain), " too plain to compare except by their bytes");
  line += facts.read == 0 ? ", hashes from the index" : StrCat(", ", FormatCount(facts.read), " read");
  line += StrCat("; ", FormatCount(set.duplicates), " in groups, ", FormatCount(set.repeats),
                 " of them after the first of their group in it");
  return has_parts ? line + StrCat(", ", FormatCount(set.leaks), " leak") : line;
}

// "3, 17, ... (12)", or "[1] 3, 17 [2] 5" if there are several sets.
std::string MembersText(const AuditReport& report, size_t group) {
  std::string text;
  const std::span<const uint64_t> records = report.groups[group];
  std::optional<size_t> set;
  for (size_t i = 0; i < records.size(); ++i) {
    if (i == kShownRecords) return text + ", ...";
    const RecordNumbers::Place place = report.numbers.At(records[i]);
    if (report.sets.size() > 1 && set != place.set) {
      text += StrCat(i == 0 ? "[" : " [", place.set + 1, "] ");
    } else if (i != 0) {
      text += ", ";
    }
    text += StrCat(place.ordinal);
    set = place.set;
  }
  return text;
}

// The distinct values of a column in a group, in the order of its records.
std::string ValuesText(const AuditReport& report, const ColumnNumbers& column, size_t group) {
  std::string text;
  std::vector<uint32_t> shown;
  const uint64_t begin = report.groups.BeginOf(group);
  for (uint64_t at = begin; at < begin + report.groups[group].size(); ++at) {
    const uint32_t number = column.numbers[at];
    if (number == ColumnNumbers::kNull || std::find(shown.begin(), shown.end(), number) != shown.end()) continue;
    if (shown.size() == kShownRecords) return text + ", ...";
    text += StrCat(shown.empty() ? "" : ", ", ShownValue(ViewOf(column.values[number - 1]), 40));
    shown.push_back(number);
  }
  return text;
}

Json JsonOfNumber(const ColumnNumbers& column, uint64_t at) {
  const uint32_t number = column.numbers[at];
  return number == ColumnNumbers::kNull ? Json(nullptr) : JsonOfValue(ViewOf(column.values[number - 1]));
}

}  // namespace

std::vector<size_t> LargestGroups(const AuditReport& report, std::optional<size_t> top) {
  std::vector<size_t> groups(report.groups.size());
  std::iota(groups.begin(), groups.end(), size_t{0});
  std::stable_sort(groups.begin(), groups.end(),
                   [&](size_t a, size_t b) { return report.groups[a].size() > report.groups[b].size(); });
  if (top && *top < groups.size()) groups.resize(*top);
  return groups;
}

Result<void> PrintAudit(const AuditReport& report, const AuditText& text, const std::vector<size_t>& groups,
                        Output& out) {
  const bool several = report.sets.size() > 1;
  const bool has_parts = several || !text.split.empty();
  for (size_t set = 0; set < report.sets.size(); ++set) {
    OFINDEX_TRY(
        out.Line(StrCat(several ? StrCat("[", set + 1, "] ") : "", SetText(report.sets[set], text, has_parts))));
  }
  std::string totals = StrCat(Counted(report.groups.size(), "group"), " of records with ", ComparedText(text));
  if (text.trusted) totals += ", by their hashes alone";
  if (!text.label.empty()) totals += StrCat("; ", Counted(report.conflicts, "conflict"), " of ", Printable(text.label));
  if (has_parts) totals += StrCat("; ", Counted(report.leaks, "leak"));
  if (report.collisions != 0) totals += StrCat("; ", Counted(report.collisions, "collision"), " of hashes, told apart");
  OFINDEX_TRY(out.Line(totals));
  if (groups.empty()) return {};
  TableRow header = {"records"};
  if (has_parts) header.push_back("leak");
  if (!text.label.empty()) header.insert(header.end(), {"conflict", Printable(text.label)});
  if (!text.split.empty()) header.push_back(Printable(text.split));
  header.push_back("_id");
  Table table(header);
  for (const size_t group : groups) {
    TableRow row = {FormatCount(report.groups[group].size())};
    if (has_parts) row.push_back(report.facts[group].leak ? "yes" : "no");
    if (!text.label.empty()) {
      row.push_back(report.facts[group].conflict ? "yes" : "no");
      row.push_back(ValuesText(report, report.labels, group));
    }
    if (!text.split.empty()) row.push_back(ValuesText(report, report.splits, group));
    row.push_back(MembersText(report, group));
    table.Add(std::move(row));
  }
  OFINDEX_TRY(out.Line(""));
  OFINDEX_TRY(table.Print(out));
  const size_t others = report.groups.size() - groups.size();
  return others == 0 ? Result<void>() : out.Line(StrCat("and ", Counted(others, "smaller group"), "; see --top"));
}

Json JsonAudit(const AuditReport& report, const AuditText& text) {
  Json sets = Json::array();
  for (const SetReport& set : report.sets) {
    const bool decoded = set.compared.undecodable == 0;
    const Json first_undecodable = decoded ? Json(nullptr) : Json(set.compared.first_undecodable);
    const Json cause = decoded ? Json(nullptr) : JsonText(set.compared.cause);
    sets.push_back({{"index", JsonText(set.index)},
                    {"records", set.compared.records},
                    {"compared", set.compared.compared()},
                    {"bad", set.compared.bad},
                    {"without", set.compared.without},
                    {"read", set.compared.read},
                    {"undecodable", set.compared.undecodable},
                    {"first_undecodable", first_undecodable},
                    {"cause", cause},
                    {"plain", set.compared.plain},
                    {"duplicates", set.duplicates},
                    {"repeats", set.repeats},
                    {"leaks", set.leaks}});
  }
  const auto name = [](const std::string& given) { return given.empty() ? Json(nullptr) : JsonText(given); };
  return {{"schema", "ofindex.audit/1"},
          {"on", name(text.feature)},
          {"near", text.near ? Json(*text.near) : Json(nullptr)},
          {"label", name(text.label)},
          {"split", name(text.split)},
          {"trusted", text.trusted},
          {"indexes", std::move(sets)},
          {"group_count", report.groups.size()},
          {"conflict_count", report.conflicts},
          {"leak_count", report.leaks},
          {"collision_count", report.collisions}};
}

Json JsonAuditGroup(const AuditReport& report, size_t group) {
  Json records = Json::array();
  const std::span<const uint64_t> numbers = report.groups[group];
  for (size_t i = 0; i < numbers.size(); ++i) {
    const RecordNumbers::Place place = report.numbers.At(numbers[i]);
    Json record = {{"index", place.set}, {"_id", place.ordinal}};
    const uint64_t at = report.groups.BeginOf(group) + i;
    if (!report.distances.empty()) record["distance"] = report.distances[at];
    if (!report.labels.numbers.empty()) record["label"] = JsonOfNumber(report.labels, at);
    if (!report.splits.numbers.empty()) record["split"] = JsonOfNumber(report.splits, at);
    records.push_back(std::move(record));
  }
  return {{"count", numbers.size()},
          {"conflict", report.facts[group].conflict},
          {"leak", report.facts[group].leak},
          {"records", std::move(records)}};
}

Result<void> WriteVerdicts(const AuditReport& report, size_t set, const ColumnStore& store, const AuditText& text,
                           const Progress& progress, OutputFile& out) {
  const bool has_labels = !text.label.empty();
  const std::vector<RecordVerdict> verdicts = VerdictsOn(report, set);
  auto next = verdicts.begin();
  OFINDEX_TRY(out.Append(AsBytes(
      StrCat("_id,duplicates,first,weight,leaks", has_labels ? ",conflict" : "", text.near ? ",distance\n" : "\n"))));
  for (const BlockMetadata& block : store.blocks()) {
    if (progress.cancel) return Interrupted();
    for (uint64_t ordinal = block.first_record; ordinal < block.first_record + block.records; ++ordinal) {
      RecordVerdict verdict{.ordinal = ordinal};
      if (next != verdicts.end() && next->ordinal == ordinal) verdict = *next++;
      std::array<char, 32> weight;
      const auto end = std::to_chars(weight.data(), weight.data() + weight.size(), verdict.weight()).ptr;
      std::string line =
          StrCat(ordinal, ",", verdict.duplicates, verdict.first ? ",1," : ",0,",
                 std::string_view(weight.data(), static_cast<size_t>(end - weight.data())), ",", verdict.leaks);
      if (has_labels) line += verdict.conflict ? ",1" : ",0";
      if (text.near) line += verdict.distance ? StrCat(",", *verdict.distance) : ",";
      line += '\n';
      OFINDEX_TRY(out.Append(AsBytes(line)));
    }
  }
  return {};
}

}  // namespace ofindex
