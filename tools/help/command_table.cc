#include "tools/help/command_table.h"

#include <algorithm>
#include <map>

#include "base/nearest_names.h"
#include "base/text.h"

namespace ofindex {

std::vector<std::string> OptionText::NameList() const {
  std::vector<std::string> list(1);
  for (const char c : names) {
    if (c == ',') {
      list.emplace_back();
    } else {
      list.back() += c;
    }
  }
  return list;
}

const OptionText* VerbText::Find(std::string_view option) const {
  for (const OptionText& text : options) {
    const std::vector<std::string> names = text.NameList();
    if (!text.is_argument && std::find(names.begin(), names.end(), option) != names.end()) return &text;
  }
  return nullptr;
}

std::string VerbText::OptionMeantBy(const std::string& word) const {
  // Options of other tools: head, jq, DuckDB, sqlite3, tar, GNU sort. The first that a verb has is meant.
  static const std::multimap<std::string_view, std::string_view> meant = {
      {"--arrow", "--to arrow"},  {"--columns", "--feature"},    {"--count", "--range :N"},
      {"--csv", "--to csv"},      {"--fields", "--feature"},     {"--filter", "--where"},
      {"--format", "--to"},       {"--format", "--csv"},         {"--format", "--json"},
      {"--group-by", "--by"},     {"--gzip", "--compress gzip"}, {"--head", "--range :N"},
      {"--indices", "--ids"},     {"--jobs", "--threads"},       {"--json", "--to jsonl"},
      {"--jsonl", "--to jsonl"},  {"--limit", "--range :N"},     {"--limit", "--max-rows"},
      {"--limit", "-n"},          {"--list", "--ids"},           {"--num-shards", "--shards"},
      {"--offset", "--range N:"}, {"--offset", "--position"},    {"--ordinals", "--ids"},
      {"--out", "--output"},      {"--outfile", "--output"},     {"--overwrite", "--force"},
      {"--query", "--where"},     {"--raw", "--to raw"},         {"--select", "--feature"},
      {"--skip", "--range N:"},   {"--skip", "--position"},      {"--start", "--range N:"},
      {"--start", "--position"},  {"--workers", "--threads"},    {"-n", "--range :N"},
      {"-n", "--max-rows"},
  };
  const auto [begin, end] = meant.equal_range(word.starts_with("--") ? word : word.substr(0, 2));
  for (auto one = begin; one != end; ++one) {
    const bool has_it = Find(one->second.substr(0, one->second.find(' '))) != nullptr;
    if (has_it) return DidYouMean({std::string(one->second)}, "'");
  }
  if (!word.starts_with("--")) return {};
  std::vector<std::string> names;  // without the dashes, in which all options are alike
  for (const OptionText& option : options) {
    if (!option.is_argument && option.LongName().starts_with("--")) names.push_back(option.LongName().substr(2));
  }
  std::vector<std::string> nearest = NearestNames(word.substr(2), names);
  for (std::string& option : nearest) option.insert(0, "--");
  return DidYouMean(nearest, "'");
}

std::vector<OptionGroup> VerbText::Groups() const {
  std::vector<OptionGroup> groups = {{"Arguments", {}}, {"Options", {}}, {"Options of every verb", {}}};
  for (const OptionText& option : options) {
    groups[option.is_argument ? 0 : option.is_common ? 2 : 1].options.push_back(&option);
  }
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

std::string VerbText::Usage(const std::string& program) const {
  std::string usage = StrCat(program, " ", name);
  for (const OptionText& option : options) {
    if (!option.is_argument) continue;
    const std::string word = option.names + (option.repeats ? "..." : "");
    usage += option.is_required ? " " + word : " [" + word + "]";
  }
  for (const OptionText& option : options) {
    if (!option.is_argument && option.is_required) usage += StrCat(" ", option.NameList().front(), " ", option.value);
  }
  return usage + " [OPTIONS]";
}

const VerbText* CommandTable::Find(const std::string& name) const {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const VerbText& verb) { return verb.name == name; });
  return found == verbs.end() ? nullptr : &*found;
}

std::vector<std::string> CommandTable::VerbNames() const {
  std::vector<std::string> names;
  for (const VerbText& verb : verbs) names.push_back(verb.name);
  return names;
}

std::string CommandTable::VerbsWith(std::string_view option) const {
  std::vector<std::string> with;
  for (const VerbText& verb : verbs) {
    const OptionText* found = verb.Find(option);
    if (found != nullptr && !found->is_common) with.push_back(verb.name);
  }
  std::string list;
  for (size_t i = 0; i < with.size(); ++i) {
    list += StrCat(i == 0 ? "" : i + 1 == with.size() ? " and " : ", ", with[i]);
  }
  return list;
}

std::string CommandTable::VerbMeantBy(const std::string& word) const {
  // Words of other tools: tfrecord2idx, sqlite3, jq, git, DuckDB, webdataset, Energon.
  static const std::map<std::string_view, std::string_view> meant = {
      {"check", "verify"},   {"count", "info"}, {"describe", "stats"}, {"dump", "cat"},       {"features", "schema"},
      {"filter", "where"},   {"find", "where"}, {"head", "cat"},       {"index", "build"},    {"inspect", "info"},
      {"lint", "verify"},    {"list", "info"},  {"ls", "info"},        {"prepare", "build"},  {"query", "sql"},
      {"read", "get"},       {"select", "sql"}, {"show", "get"},       {"shuffle", "sample"}, {"take", "get"},
      {"validate", "verify"}};
  if (const auto found = meant.find(word); found != meant.end()) return DidYouMean({std::string(found->second)}, "'");
  return DidYouMean(NearestNames(word, VerbNames()), "'");
}

const std::vector<ExitCodeText>& ExitCodes() {
  static const std::vector<ExitCodeText> codes = {
      {0, "success"},
      {1, "the answer is no: nothing matches, or verify found a fault"},
      {2, "wrong usage: options, ordinals, features or SQL"},
      {3, "faulty data: damage or bad records, which are listed; intact records are not affected"},
      {4, "the index is missing, foreign, corrupt or stale, or shards are missing"},
      {5, "input or output failed"},
      {6, "another process is building this index"},
      {7, "a limit was reached: memory, time, size"},
      {130, "interrupted"},
  };
  return codes;
}

const std::vector<VariableText>& Variables() {
  static const std::vector<VariableText> variables = {
      {"OFINDEX_INDEX_DIR", "the folder of --index-dir, also for the Python package and the C++ library"},
      {"NO_COLOR", "if set and not empty, no colours"},
      {"CLICOLOR_FORCE", "if set, not empty and not 0, colours even in a pipe"},
      {"COLUMNS", "the width of the terminal, if set to a number; otherwise the terminal is asked"},
      {"TERM", "if dumb or not set: no colours, plain progress, and no completion, history or pager in `sql`"},
      {"PAGER", "shows long results of the prompt of `sql`; default less, none if empty"},
      {"XDG_STATE_HOME",
       "what was entered at the prompt of `sql` is in its subfolder ofindex/; default ~/.local/state"},
      {"XDG_CACHE_HOME",
       "the maps of indexes whose folder cannot be written are in its subfolder ofindex/; default ~/.cache"},
      {"XDG_RUNTIME_DIR", "the page that `serve --open` gives to the browser is in it; default TMPDIR, or /tmp"},
      {"TMPDIR", "rows that are read twice, and indexes of a single command, are stored in it meanwhile; default /tmp"},
  };
  return variables;
}

}  // namespace ofindex
