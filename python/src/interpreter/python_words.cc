#include "python/src/interpreter/python_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace ofindex::python {
namespace {

struct Words {
  std::string_view command;
  std::string_view python;
};

// An option that is a prefix of another one comes after it.
constexpr std::array kOptions = {
    Words{"--all", "all=True"},
    Words{"--as PREFIX", "prefix='PREFIX'"},
    Words{"--attach FILE", "attach=FILE"},
    Words{"--columns-optional", "columns_optional=True"},
    Words{"--columns NAME,...", "columns=['NAME', ...]"},
    Words{"--columns NAME", "columns=['NAME']"},
    Words{"--columns", "columns"},
    Words{"--compression", "compression"},
    Words{"--derive", "derive"},
    Words{"--compress gzip", "compress='gzip'"},
    Words{"--compress", "compress"},
    Words{"--force", "force=True"},
    Words{"--format ofrecord", "format='ofrecord'"},
    Words{"--format tfrecord", "format='tfrecord'"},
    Words{"--format", "format"},
    Words{"--index-dir DIR", "OFINDEX_INDEX_DIR in the environment"},
    Words{"--max-inflated", "max_inflated_bytes"},
    Words{"--max-ratio", "max_ratio"},
    Words{"--payload", "payload"},
    Words{"--prune", "prune"},
    Words{"--replace", "replace=True"},
    Words{"--root", "root"},
    Words{"--shards", "shards"},
    Words{"--wait", "wait=True"},
    Words{"--where", "where()"},
    Words{"-o INDEX", "output=INDEX"},
    Words{"-p NAME=VALUE", "{'NAME': VALUE}"},
};

constexpr std::array kCommands = {
    Words{"`ofindex attach -o FILE`", "`ds.attach(..., output=FILE)`"},
    Words{"`ofindex attach INDEX TABLE --key NAME`", "`ds.attach(table, key='NAME')`"},
    Words{"`ofindex build --columns NAME`", "`ofindex.build(..., columns=['NAME'])`"},
    Words{"`ofindex build --force`", "`ofindex.build(..., force=True)`"},
    Words{"`ofindex build --max-inflated`", "`ofindex.build(..., max_inflated_bytes=...)`"},
    Words{"`ofindex build --max-ratio`", "`ofindex.build(..., max_ratio=...)`"},
    Words{"`ofindex detach INDEX --all`", "`ds.detach(all=True)`"},
    Words{"`ofindex detach INDEX NAME`", "`ds.detach('NAME')`"},
    Words{"`ofindex update`", "`ofindex.update(...)`"},
    Words{"`ofindex update --prune`", "`ofindex.update(..., prune=True)`"},
};

bool IsOfWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; }

// Returns the entry that `text` begins with, or null.
template <size_t n>
const Words* Begun(std::string_view text, const std::array<Words, n>& table) {
  const auto* const found = std::find_if(table.begin(), table.end(), [&](const Words& words) {
    const size_t end = words.command.size();
    return text.substr(0, end) == words.command &&
           (text.size() == end || !IsOfWord(words.command.back()) || !IsOfWord(text[end]));
  });
  return found == table.end() ? nullptr : &*found;
}

// Returns `text`, a literal, with the command's options replaced by Python arguments.
std::string Translated(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t taken = 1;
    const Words* words = nullptr;
    if (text.substr(0, 9) == "`ofindex ") {
      words = Begun(text, kCommands);
      taken = std::min(text.size(), std::max<size_t>(text.find('`', 1), 8) + 1);
    } else if (out.empty() || out.back() == ' ' || out.back() == '`') {
      words = Begun(text, kOptions);
    }
    if (words != nullptr) taken = words->command.size();
    out += words != nullptr ? words->python : text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace

std::string InPython(const Hint& hint) { return hint.is_literal() ? Translated(hint.text()) : hint.text(); }

std::string TextInPython(const Error& error) {
  return error.hint.empty() ? error.message : StrCat(error.message, "\n", InPython(error.hint));
}

}  // namespace ofindex::python
