#include "tools/shell/messages.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "tools/shell/missing_shards.h"
#include "tools/terminal/terminal.h"

namespace ofindex {
namespace {

constexpr size_t kNotesShown = 10;

void WriteLine(std::string line) {
  line += '\n';
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::string ShownShard(uint32_t shard, const std::vector<ShardRow>& shards) {
  return shard < shards.size() ? Printable(shards[shard].path) : StrCat("shard ", shard);
}

void WriteError(const std::string& text, const Context& context) {
  WriteLine(StrCat(UseColor(STDERR_FILENO, context) ? "\x1b[31mofindex:\x1b[0m " : "ofindex: ", Printable(text)));
}

size_t ShownOf(const std::vector<std::string>& texts, const Context& context) {
  return context.verbose > 0 ? texts.size() : std::min(texts.size(), kNotesShown);
}

std::string RestOf(const std::vector<std::string>& texts, size_t shown) {
  return StrCat("and ", texts.size() - shown, " more (-v shows all)");
}

std::string HintOf(const Error& error, const Context& context) {
  if (!error.hint.empty()) return error.hint.text();
  if (error.system == ENOSPC || error.system == EDQUOT || error.system == EFBIG) {
    return "make room, and run it again; nothing half-written is left";
  }
  switch (error.code) {
    case ErrorCode::kIo: return "fix the cause that the system reports, and run it again";
    case ErrorCode::kLimit: return "ask for less at a time, or free some memory, and run it again";
    case ErrorCode::kIndex: return "build the index again with `ofindex build DATA --force`";
    case ErrorCode::kStale:
      return "run it again; if the data have changed, bring the index up to date with `ofindex update INDEX`";
    case ErrorCode::kDamage: return "`ofindex verify INDEX` lists what is damaged";
    case ErrorCode::kFormat: return "correct the file at that place, and run it again";
    case ErrorCode::kFeature: return "`ofindex schema INDEX` lists the features and their kinds";
    default: return StrCat("see `ofindex ", context.verb, context.verb.empty() ? "" : " ", "--help`");
  }
}

}  // namespace

bool UseColor(int stream, const Context& context) {
  if (context.color != When::kAuto) return context.color == When::kAlways;
  if (std::getenv("NO_COLOR") != nullptr && *std::getenv("NO_COLOR") != '\0') return false;
  return IsSet("CLICOLOR_FORCE") || (::isatty(stream) == 1 && !IsDumbTerminal());
}

void PrintError(const Error& error, const Context& context) {
  WriteError(error.message, context);
  const bool color = UseColor(STDERR_FILENO, context);
  WriteLine(StrCat(color ? "\x1b[2mhint:\x1b[0m " : "hint: ", Printable(HintOf(error, context))));
}

void PrintMoreErrors(const std::vector<std::string>& texts, const Context& context) {
  const size_t shown = ShownOf(texts, context);
  for (size_t i = 0; i < shown; ++i) WriteError(texts[i], context);
  if (shown < texts.size()) WriteError(RestOf(texts, shown), context);
}

void PrintNote(const std::string& text, const Context& context) {
  if (!context.quiet) WriteLine(Printable(text));
}

void PrintNotes(const std::vector<std::string>& texts, const Context& context) {
  const size_t shown = ShownOf(texts, context);
  for (size_t i = 0; i < shown; ++i) PrintNote(texts[i], context);
  if (shown < texts.size()) PrintNote(RestOf(texts, shown), context);
}

std::vector<std::string> NotesOnFiles(const std::vector<SkippedFile>& skipped, const std::vector<std::string>& missing,
                                      const std::function<std::string(const std::string&)>& shown) {
  std::vector<std::string> notes;
  for (const SkippedFile& file : skipped) {
    if (IsUnreadable(file)) continue;
    notes.push_back(StrCat("skipped ", Printable(shown(file.path)), ": ", Printable(file.reason)));
  }
  for (std::string& note : NotesOnMissing(missing, shown)) notes.push_back(std::move(note));
  return notes;
}

std::vector<std::string> NotesOf(const BuildReport& report,
                                 const std::function<std::string(const std::string&)>& shown) {
  std::vector<std::string> notes = NotesOnFiles(report.skipped, report.missing, shown);
  for (const ShardRow& shard : report.shards) {
    if (shard.identity.size != 0) continue;
    notes.push_back(StrCat("empty   ", Printable(shown(shard.path)), ": a shard of 0 bytes, without a record"));
  }
  return notes;
}

std::string Describe(const DamageRow& damage, const std::vector<ShardRow>& shards) {
  const auto& [begin, end, reason, file] = damage.range;
  const std::string path = ShownShard(damage.shard, shards);
  std::string what = StrCat(path, "@", begin, ": ", Counted(end - begin, file ? "inflated byte" : "byte"),
                            " without a record: ", Name(reason));
  if (!file) return what;
  return StrCat(what, ", in bytes ", FormatCount(file->begin), " to ", FormatCount(file->end), " of the file");
}

std::string Describe(const BadRow& bad, const std::vector<ShardRow>& shards) {
  return StrCat(ShownShard(bad.shard, shards), "@", bad.offset, ": record ", bad.record, " is bad: ", Name(bad.reason));
}

}  // namespace ofindex
