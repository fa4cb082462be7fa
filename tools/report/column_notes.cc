#include "tools/report/column_notes.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "index/columns/column_choice.h"

namespace ofindex {
namespace {

constexpr size_t kColumnsNamed = 5;

// Returns "a, b and 3 more".
std::string Enumerated(const std::vector<std::string>& texts) {
  std::string text;
  for (size_t i = 0; i < std::min(texts.size(), kColumnsNamed); ++i) text += StrCat(i == 0 ? "" : ", ", texts[i]);
  return texts.size() > kColumnsNamed ? StrCat(text, " and ", texts.size() - kColumnsNamed, " more") : text;
}

// Returns how many records have several values in a feature; the index does not count those with an empty list apart.
std::string RecordsWithSeveral(const FeatureRow& row) {
  const std::string count = Counted(row.present - row.single, "record");
  return row.values_min == 0 ? "up to " + count : count;
}

void AddNoteOnLists(const BuildReport& report, std::vector<std::string>& notes) {
  auto choice = ColumnChoice::Parse(report.facts.columns);
  if (!choice) return;
  std::vector<std::string> texts;
  for (const FeatureRow& row : report.features) {
    if (!ReadsListsAsNull(row)) continue;
    texts.push_back(StrCat(Printable(MainColumn(row)), " (", RecordsWithSeveral(row), ")"));
    if (texts.size() <= kColumnsNamed) choice->names.push_back(row.name);
  }
  if (texts.empty()) return;
  std::sort(choice->names.begin(), choice->names.end());
  notes.push_back(StrCat("NULL in records with several values: ", Enumerated(texts),
                         "; to store lists, as JSON arrays in all records, build with --columns ",
                         ShellWord(choice->Text())));
}

void AddNoteOnDropped(const DroppedColumns& dropped, std::vector<std::string>& notes) {
  if (dropped.names.empty()) return;
  std::vector<std::string> texts;
  for (const std::string& name : dropped.names) texts.push_back(Printable(name));
  std::string note = StrCat("no longer stored: ", Enumerated(texts));
  std::string options;
  if (!dropped.choice_to_keep.empty()) options += " --columns " + ShellWord(dropped.choice_to_keep);
  for (const std::string& derive : dropped.derive_to_keep) options += " --derive " + ShellWord(derive);
  if (!options.empty()) note += StrCat("; to keep ", texts.size() == 1 ? "it" : "them", ", build with", options);
  notes.push_back(std::move(note));
}

}  // namespace

void AddNotesOnColumns(const BuildReport& report, std::vector<std::string>& notes) {
  AddNoteOnLists(report, notes);
  AddNoteOnDropped(report.dropped, notes);
}

Json JsonListsAsNull(const BuildReport& report) {
  Json array = Json::array();
  for (const FeatureRow& row : report.features) {
    if (!ReadsListsAsNull(row)) continue;
    array.push_back({{"name", JsonText(row.name)},
                     {"column", JsonText(MainColumn(row))},
                     {"present", row.present},
                     {"single", row.single}});
  }
  return array;
}

}  // namespace ofindex
