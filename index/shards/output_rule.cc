#include "index/shards/output_rule.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/paths.h"
#include "index/database/schema.h"
#include "index/finding/missing_paths.h"
#include "index/finding/resolve_index.h"
#include "index/output/atomic_file.h"
#include "index/output/folder.h"
#include "index/output/shard_names.h"
#include "index/shards/detect.h"
#include "index/shards/shard_glob.h"
#include "mmap/offsets/offset_map_format.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr size_t kProbeBytes = 4096;
constexpr std::string_view kPageMark = "<meta name=\"generator\" content=\"ofindex ";
constexpr uint64_t kMinFramedBytes = 16;  // size of the smallest TFRecord

const char* NameOf(OutputKind kind) {
  switch (kind) {
    case OutputKind::kIndex: return "an index";
    case OutputKind::kMap: return "the map of an index";
    case OutputKind::kTfRecord: return "a TFRecord file";
    case OutputKind::kOfRecord: return "an OFRecord file";
    case OutputKind::kTextIndex: return "a text index of a shard";
    case OutputKind::kLabels: return "a map of labels";
    case OutputKind::kOrdinals: return "a list of ascending ordinals";
    case OutputKind::kJsonLines: return "records as JSON lines";
    case OutputKind::kCsv: return "records as CSV, with a header";
    case OutputKind::kArrow: return "an Arrow file";
    case OutputKind::kHtml: return "a page of `ofindex report`";
    case OutputKind::kRaw: break;  // raw payloads cannot be recognised
  }
  return "an empty file";
}

bool IsZeroed(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char byte) { return byte == 0; });
}

// Returns true if a file that begins with `head` is a map. Tolerates one damaged byte, and a file that a power cut left
// truncated or zeroed: such a map is rebuilt anyway.
bool IsMap(std::string_view head) {
  const size_t n = std::min(head.size(), kMapMagic.size());
  size_t others = 0;
  for (size_t i = 0; i < n; ++i) {
    if (head[i] != kMapMagic[i]) ++others;
  }
  return n == head.size() || IsZeroed(head) || others <= 1;
}

// Takes the number at the front of `text`, and removes it together with `end`.
std::optional<uint64_t> TakeNumber(std::string_view& text, char end) {
  uint64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || at == text.data() + text.size() || *at != end) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(at - text.data()) + 1);
  return number;
}

// Returns true for lines "begin length" of consecutive records; the head may end inside the last line. Damage may leave
// a gap of any length before the first record, and gaps after at most half of the records.
bool IsTextIndex(std::string_view head, bool all) {
  const size_t whole = head.rfind('\n') + 1;
  if (whole == 0 || (all && whole != head.size())) return false;
  uint64_t end = 0;
  size_t lines = 0;
  size_t gaps = 0;
  for (head = head.substr(0, whole); !head.empty(); ++lines) {
    const std::optional<uint64_t> begin = TakeNumber(head, ' ');
    const std::optional<uint64_t> length = begin ? TakeNumber(head, '\n') : std::nullopt;
    if (!length || *begin < end || *length < kMinFramedBytes) return false;
    if (lines != 0 && *begin != end) ++gaps;
    end = *begin + *length;
  }
  return gaps <= lines - gaps;
}

// Returns true for lines of ascending numbers; the head may end inside the last line.
bool IsOrdinals(std::string_view head, bool all) {
  const size_t whole = head.rfind('\n') + 1;
  if (whole == 0 || (all && whole != head.size())) return false;
  std::optional<uint64_t> last;
  for (head = head.substr(0, whole); !head.empty();) {
    const std::optional<uint64_t> ordinal = TakeNumber(head, '\n');
    if (!ordinal || (last && *ordinal <= *last)) return false;
    last = ordinal;
  }
  return true;
}

// Returns true for lines "number name", numbered from 0; the head may end inside the last line.
bool IsLabels(std::string_view head) {
  if (head.find('\n') == std::string_view::npos) return false;
  for (uint64_t number = 0; !head.empty(); ++number) {
    const size_t line = head.find('\n');
    if (line == std::string_view::npos) break;
    if (!head.starts_with(StrCat(number, "\t"))) return false;
    head.remove_prefix(line + 1);
  }
  return true;
}

// Returns true for `{"_id":` number `,"_shard":"`, the beginning of each record printed by `cat`.
bool IsJsonLine(std::string_view head) {
  constexpr std::string_view kId = "{\"_id\":";
  if (!head.starts_with(kId)) return false;
  head.remove_prefix(kId.size());
  return TakeNumber(head, ',').has_value() && head.starts_with("\"_shard\":\"");
}

// OFRecords with unrecognised payloads are recognised by their lengths, none of which is zero.
Result<bool> IsShardOf(const File& file, uint64_t size, std::string_view head, Framing framing) {
  OFINDEX_ASSIGN(const Detection found, DetectShard(file, size, {}));
  if (found.verdict == Detection::Verdict::kLengthPrefixed) {
    return framing == Framing::kOfRecord && !head.starts_with(std::string_view("\0\0\0\0\0\0\0\0", 8));
  }
  return found.verdict == Detection::Verdict::kRecords && found.framing == framing;
}

Result<bool> IsOfKind(const File& file, OutputKind kind) {
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  // A power cut leaves an index empty or zeroed: its name tells what it was.
  const bool named = file.path().ends_with(kIndexSuffix);
  if (facts.size == 0) return kind != OutputKind::kIndex || named;
  std::vector<uint8_t> bytes(std::min<uint64_t>(facts.size, kProbeBytes));
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, bytes));
  const std::string_view head = AsText(ByteView(bytes).first(got));
  switch (kind) {
    case OutputKind::kIndex: return IsIndexHeader(head) || (named && IsZeroed(head));
    case OutputKind::kMap: return IsMap(head);
    case OutputKind::kTfRecord: return IsShardOf(file, facts.size, head, Framing::kTfRecord);
    case OutputKind::kOfRecord: return IsShardOf(file, facts.size, head, Framing::kOfRecord);
    case OutputKind::kTextIndex: return IsTextIndex(head, got == facts.size);
    case OutputKind::kLabels: return IsLabels(head);
    case OutputKind::kOrdinals: return IsOrdinals(head, got == facts.size);
    case OutputKind::kJsonLines: return IsJsonLine(head);
    case OutputKind::kCsv: return head.starts_with("_id,");
    case OutputKind::kArrow: return head.starts_with("ARROW1");
    case OutputKind::kHtml: return head.find(kPageMark) != std::string_view::npos;
    case OutputKind::kRaw: break;
  }
  return false;
}

// Returns true if the next build or update of the index at `index` would read a file at `path`: it was built from a
// folder around it, from a glob that matches it, or from several shards next to it, which a list may have named.
Result<bool> MayRead(const std::string& index, const std::string& path) {
  Result<CatalogReader> catalog = CatalogReader::Open(index);
  if (!catalog && SaysNothingOfFile(catalog.error())) return tl::unexpected(catalog.error());
  if (!catalog) return false;
  const Result<std::vector<ShardRow>> shards = catalog->Shards();
  if (!shards && SaysNothingOfFile(shards.error())) return tl::unexpected(shards.error());
  if (!shards) return false;
  const std::vector<std::string>& sources = catalog->facts().sources;
  const auto matches = [&](const std::string& source) {
    return IsGlob(source) && GlobTakes(FolderOf(index), source, path);
  };
  if (std::any_of(sources.begin(), sources.end(), matches)) return true;
  const InputFiles inputs(index, *shards, sources);
  OFINDEX_ASSIGN(const bool is_enclosed, inputs.Encloses(path));
  return is_enclosed ? Result<bool>(true) : inputs.LieBeside(path);
}

// Returns true if an index may read a file at `path`: that of its folder, of a folder around that, or one among
// `siblings` in its folder.
Result<bool> AnyIndexMayRead(const std::string& path, const std::vector<std::string>& siblings) {
  std::error_code error;
  fs::path folder = fs::canonical(FolderOf(path), error);
  if (error && !IsOutOfReach(error.value())) {
    return tl::unexpected(SystemError(FolderOf(path), "cannot resolve its links", error.value()));
  }
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    const Result<std::optional<std::string>> index = FindIndex(folder.string());
    if (!index && SaysNothingOfFile(index.error())) return tl::unexpected(index.error());
    if (!index || !*index) continue;
    OFINDEX_ASSIGN(const bool reads, MayRead(**index, path));
    if (reads) return true;
  }
  for (const std::string& name : siblings) {
    if (!name.ends_with(kIndexSuffix)) continue;
    OFINDEX_ASSIGN(const bool reads, MayRead((fs::path(path).parent_path() / name).string(), path));
    if (reads) return true;
  }
  return false;
}

tl::unexpected<Error> ForeignFile(const std::string& path, OutputKind kind) {
  const bool index = kind == OutputKind::kIndex;
  return Fail(index || kind == OutputKind::kMap ? ErrorCode::kIndex : ErrorCode::kUsage,
              StrCat(Printable(path), ": not an output of this verb; expected a new name, or ", NameOf(kind)),
              index ? Hint("name another file with -o INDEX, and put a glob of shards in quotes")
                    : Hint("name another output, or remove the file if it is not needed"));
}

}  // namespace

Result<void> CheckOutput(const std::string& path, OutputKind kind, bool force, const InputFiles& inputs) {
  std::error_code ignored;
  if (kind == OutputKind::kIndex && fs::is_directory(path, ignored)) {
    const std::string name = (fs::path(path) / "NAME").string() + std::string(kIndexSuffix);
    return Fail(ErrorCode::kUsage, StrCat(Printable(path), ": a folder; expected the name of an index to write"),
                StrCat("name a file in it, such as ", PathWord(name, "FOLDER/NAME.ofidx")));
  }
  OFINDEX_TRY(AtomicFile::CheckTarget(path));
  OFINDEX_ASSIGN(const bool is_input, inputs.Contains(path));
  if (is_input) {
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(path), ": an input of this command; expected an output that is not read"),
                "name another output");
  }
  const Result<File> file = File::OpenRead(path);
  if (!file && file.error().system == ENOENT) return {};
  if (!file) return tl::unexpected(file.error());
  OFINDEX_ASSIGN(const bool of_kind, IsOfKind(*file, kind));
  if (!of_kind) return ForeignFile(path, kind);
  if (force) return {};
  return Fail(ErrorCode::kUsage, StrCat(Printable(path), ": already exists; expected a new name"),
              "name another output, or replace it with --force");
}

bool IsOutput(const std::string& path, OutputKind kind) {
  const Result<File> file = File::OpenRead(path);
  return file && IsOfKind(*file, kind).value_or(false);
}

Result<bool> IsShard(const std::string& path) {
  const auto facts = StatFile(path);
  if (!facts && SaysNothingOfFile(facts.error())) return tl::unexpected(facts.error());
  if (facts && !facts->regular) return false;
  if (IsShardName(path)) return true;
  const Result<File> file = File::OpenRead(path);
  if (!file && SaysNothingOfFile(file.error())) return tl::unexpected(file.error());
  if (!file) return false;
  OFINDEX_ASSIGN(const bool is_tfrecord, IsOfKind(*file, OutputKind::kTfRecord));
  return is_tfrecord ? Result<bool>(true) : IsOfKind(*file, OutputKind::kOfRecord);
}

Result<void> CheckOutside(const std::string& path, OutputShape shape, const InputFiles& inputs) {
  OFINDEX_ASSIGN(bool is_inside, inputs.Encloses(path));
  if (!is_inside && shape == OutputShape::kFile) {
    OFINDEX_ASSIGN(is_inside, inputs.LieBeside(path));
  }
  if (is_inside) {
    return Fail(
        ErrorCode::kUsage,
        StrCat(Printable(path), ": lies in the input and would become part of it; expected a path outside the input"),
        "name another output");
  }
  OFINDEX_ASSIGN(const bool is_around, inputs.LieBelow(path));
  if (!is_around) return {};
  return Fail(
      ErrorCode::kUsage,
      StrCat(Printable(path), ": a folder that contains the input; expected one without it: a folder holds one set"),
      "name another output");
}

Result<void> CheckAlone(const std::string& path) {
  const auto siblings = NamesIn(FolderOf(path));
  if (!siblings && siblings.error().system == ENOENT) return {};
  if (!siblings) return tl::unexpected(siblings.error());
  const fs::path out(path);
  const std::string name = out.filename().string();
  const bool is_there = std::find(siblings->begin(), siblings->end(), name) != siblings->end();
  const std::vector<std::string> sets = NumberedSetsOf(name);
  if (is_there || sets.empty()) return {};  // CheckOutput handles existing files
  std::optional<bool> may_be_read;          // by an index; asked once
  for (const std::string& sibling : *siblings) {
    const std::string other = (out.parent_path() / sibling).string();
    if (!ShareSet(sets, NumberedSetsOf(sibling))) continue;
    OFINDEX_ASSIGN(const bool is_shard, IsShard(other));
    if (!is_shard) continue;
    if (!HasShardNumber(name) && !HasShardNumber(sibling)) {
      if (!may_be_read) {
        OFINDEX_ASSIGN(may_be_read, AnyIndexMayRead(path, *siblings));
      }
      if (!*may_be_read) continue;
    }
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(path), ": would be a shard of the set that ", Printable(other),
                       " belongs to; expected a name that is not of that set"),
                "write to a folder of its own, or give it another name");
  }
  return {};
}

}  // namespace ofindex
