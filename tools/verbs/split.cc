#include "query/sampling/columns/split.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/output/folder.h"
#include "index/shards/output_rule.h"
#include "query/columns/find_column.h"
#include "query/columns/snapshot.h"
#include "query/sampling/sets/set_of.h"
#include "tools/options/attachments.h"
#include "tools/sampling/class_counts.h"
#include "tools/sampling/ordinal_text.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/value_text.h"
#include "tools/shell/watchdog.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr double kSlackOfShares = 1e-9;  // that of Split()
constexpr size_t kClassesShown = 20;
constexpr size_t kMaxJsonClasses = 10'000;
constexpr size_t kOrdinalBytesAtOnce = size_t{1} << 20;

struct SplitArguments {
  std::string index;
  std::string parts;
  std::optional<std::string> by;
  std::optional<std::string> stratify;
  uint64_t seed = 0;
  std::string folder;
  bool force = false;
};

// A part, and the file of its ordinals while it is written.
struct PartFile {
  SplitPart part;
  std::string path;
  uint64_t records = 0;
  std::optional<AtomicFile> temporary = {};
};

tl::unexpected<Error> WrongPart(const std::string& text, std::string_view what) {
  return Fail(ErrorCode::kUsage, StrCat("part '", Printable(text), "': ", what),
              "name each part with its share of the records, as in train=0.9,val=0.1");
}

// A part as it is written, perhaps in percent.
struct WrittenPart {
  SplitPart part;
  bool percent = false;
};

Result<WrittenPart> ParsePart(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == 0 || equals == std::string::npos) return WrongPart(text, "expected NAME=SHARE");
  const bool percent = text.ends_with('%');
  SplitPart part{.name = text.substr(0, equals)};
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  const auto [at, error] = std::from_chars(text.data() + equals + 1, end, part.fraction);
  if (error != std::errc() || at != end) return WrongPart(text, "expected a number after the last =");
  const bool is_name = part.name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
  if (!is_name || part.name.starts_with('.')) return WrongPart(text, "the name cannot be that of a file");
  return WrittenPart{std::move(part), percent};
}

// Refuses shares in percent, or as parts of another sum than 1, and says how to write them.
Result<void> CheckShares(const std::vector<WrittenPart>& parts) {
  double sum = 0;
  bool mixed = false;
  const WrittenPart* wrong = nullptr;
  for (const WrittenPart& one : parts) {
    sum += one.part.fraction;
    mixed = mixed || one.percent != parts.front().percent;
    if (!(one.part.fraction > 0)) return {};  // the split refuses it
    if (wrong == nullptr && (one.percent || one.part.fraction > 1)) wrong = &one;
  }
  if (!std::isfinite(sum) || (wrong == nullptr && sum <= 1 + kSlackOfShares)) return {};
  const bool of_hundred = wrong != nullptr && sum <= 100 && (wrong->percent || sum > 10);
  std::string meant;
  for (const auto& [part, is_percent] : parts) {
    const double share = mixed ? part.fraction / (is_percent ? 100 : 1) : part.fraction / (of_hundred ? 100 : sum);
    meant += StrCat(meant.empty() ? "" : ",", EscapedName(part.name), "=", RealText(share));
  }
  const std::string hint = StrCat("shares are parts of 1, as in ", Printable(meant));
  if (wrong == nullptr) {
    return Fail(ErrorCode::kUsage, StrCat("the shares add up to ", RealText(sum), "; expected at most 1"), hint);
  }
  return Fail(ErrorCode::kUsage,
              StrCat("part '", Printable(wrong->part.name), "': a share is above 0 and at most 1, got ",
                     RealText(wrong->part.fraction), wrong->percent ? "%" : ""),
              hint);
}

Result<std::vector<PartFile>> ParseParts(const SplitArguments& arguments) {
  std::vector<WrittenPart> parts;
  for (const std::string& text : SplitNames(arguments.parts)) {
    OFINDEX_ASSIGN(parts.emplace_back(), ParsePart(text));
  }
  OFINDEX_TRY(CheckShares(parts));
  std::vector<PartFile> files;
  for (WrittenPart& one : parts) {
    std::string path = (fs::path(arguments.folder) / (one.part.name + ".ids")).string();
    files.push_back({.part = std::move(one.part), .path = std::move(path)});
  }
  return files;
}

Result<SplitOptions> OptionsOf(const SplitArguments& arguments, const std::vector<PartFile>& files,
                               const ColumnStore& store, const Context& context) {
  SplitOptions options;
  options.seed = arguments.seed;
  options.cancel = &context.progress.cancel;
  for (const PartFile& file : files) options.parts.push_back(file.part);
  if (arguments.by) {
    OFINDEX_ASSIGN(options.key, FindValueColumn(store, *arguments.by));
  }
  if (arguments.stratify) {
    OFINDEX_ASSIGN(options.stratify, FindValueColumn(store, *arguments.stratify));
  }
  return options;
}

Result<void> WritePart(const OrdinalSet& ordinals, const Context& context, PartFile& file) {
  file.records = ordinals.size();
  OFINDEX_ASSIGN(file.temporary, AtomicFile::Begin(file.path, AtomicFile::IfLocked::kFail));
  OFINDEX_ASSIGN(OutputFile output, file.temporary->Open());
  std::string text;
  Result<void> written;
  ordinals.ForEach([&](uint64_t ordinal) {
    AppendOrdinal(ordinal, text);
    text += '\n';
    if (text.size() < kOrdinalBytesAtOnce) return true;
    written = output.Append(AsBytes(text));
    text.clear();
    return written.has_value() && !context.progress.cancel;
  });
  if (context.progress.cancel) return Interrupted();
  OFINDEX_TRY(written);
  OFINDEX_TRY(output.Append(AsBytes(text)));
  return output.Flush();
}

// The files appear after all of them were written.
Result<void> WriteParts(const std::vector<OrdinalSet>& sets, const OrdinalSet& present, const Context& context,
                        std::vector<PartFile>& files) {
  for (size_t i = 0; i < files.size(); ++i) {
    OFINDEX_TRY(WritePart(sets[i].Intersect(present), context, files[i]));
  }
  for (PartFile& file : files) OFINDEX_TRY(file.temporary->Publish(AtomicFile::Durability::kDurable));
  return {};
}

// Writes the parts into their folder. If that fails, removes the folders that it made, unless they have files.
Result<void> WriteFolder(const std::vector<OrdinalSet>& sets, const OrdinalSet& present,
                         const SplitArguments& arguments, const Context& context, std::vector<PartFile>& files) {
  std::vector<std::string> made;
  Result<void> written = MakeFolders(arguments.folder, made);
  if (written) written = WriteParts(sets, present, context, files);
  if (written) return {};
  for (PartFile& file : files) file.temporary.reset();
  std::error_code ignored;
  for (; !made.empty(); made.pop_back()) fs::remove(made.back(), ignored);
  return written;
}

// Counts the classes of a stratified split; nothing for another split, or if there are too many.
Result<std::optional<ClassCounts>> ClassesOfParts(ColumnStore& store, const SplitOptions& options,
                                                  const std::vector<OrdinalSet>& sets, const Context& context) {
  if (!options.stratify || (context.quiet && !context.json)) return std::nullopt;
  Result<ClassCounts> counts =
      CountClasses(store, *options.stratify, sets, context.json ? kMaxJsonClasses : kClassesShown, context);
  if (!counts && counts.error().code == ErrorCode::kLimit) return std::nullopt;
  return counts;
}

Result<void> PrintClasses(const ClassCounts& counts, const std::vector<PartFile>& files) {
  std::vector<std::string> names;
  for (const PartFile& file : files) names.push_back(file.part.name);
  Output& out = Output::Standard();
  OFINDEX_TRY(out.Line(""));
  OFINDEX_TRY(ClassTable(counts, names).Print(out));
  const std::string after = ClassesLeftOut(counts);
  return after.empty() ? Result<void>() : out.Line(after);
}

Result<void> ReportParts(const std::vector<PartFile>& files, uint64_t records, const std::string& index,
                         const std::optional<ClassCounts>& classes, const Context& context) {
  uint64_t rest = records;
  Json parts = Json::array();
  std::string text;
  for (const PartFile& file : files) {
    rest -= file.records;
    parts.push_back({{"name", JsonText(file.part.name)},
                     {"share", file.part.fraction},
                     {"records", file.records},
                     {"file", JsonText(file.path)}});
    text += StrCat(Printable(file.path), ": ", Counted(file.records, "record"), "\n");
  }
  if (rest != 0) text += StrCat("in no part: ", Counted(rest, "record"), "\n");
  if (context.json) {
    return Output::Standard().Line(Dump({{"schema", "ofindex.split/1"},
                                         {"index", JsonText(index)},
                                         {"records", records},
                                         {"parts", std::move(parts)},
                                         {"in_no_part", rest},
                                         {"classes", classes ? ToJson(*classes) : Json(nullptr)},
                                         {"other_classes", classes ? classes->other_classes : 0}}));
  }
  if (context.quiet) return {};
  OFINDEX_TRY(Output::Standard().Write(text));
  return classes ? PrintClasses(*classes, files) : Result<void>();
}

Result<int> SplitIndex(const SplitArguments& arguments, const Context& context) {
  const Watchdog watchdog(std::nullopt, context);
  OFINDEX_ASSIGN(std::vector<PartFile> files, ParseParts(arguments));
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot,
                 Snapshot::Open(arguments.index, OpeningOptions(context)));
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot->Columns());
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot->Catalog());
  OFINDEX_ASSIGN(const SplitOptions options, OptionsOf(arguments, files, *store, context));
  const InputFiles inputs(snapshot->path(), catalog->shards(), catalog->facts().sources);
  for (const PartFile& file : files) {
    OFINDEX_TRY(CheckOutput(file.path, OutputKind::kOrdinals, arguments.force, inputs));
  }
  OFINDEX_ASSIGN(const std::vector<OrdinalSet> sets, Split(*store, store->ordinals(), options));
  OFINDEX_TRY(WriteFolder(sets, SetOf(*store), arguments, context, files));
  OFINDEX_ASSIGN(const std::optional<ClassCounts> classes, ClassesOfParts(*store, options, sets, context));
  OFINDEX_TRY(ReportParts(files, store->records(), snapshot->path(), classes, context));
  return 0;
}

}  // namespace

void AddSplit(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "split", "Divide the records into parts, such as train and val", Formats::kJson);
  auto arguments = std::make_shared<SplitArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddArgument("PARTS", arguments->parts,
                   "NAME=SHARE,...: the parts and their shares of the records, as in train=0.9,val=0.1; shares that "
                   "add up to less than 1 leave records in no part")
      .Required();
  verb.AddOption("--by", arguments->by, "KEY",
                 "Keep records with the same value of this column in one part; records without a value are divided one "
                 "by one");
  verb.AddOption("--stratify", arguments->stratify, "COLUMN",
                 "Divide the records of each value of this column in the same shares; with --by, as nearly as whole "
                 "groups allow");
  verb.AddNumber("--seed", arguments->seed, "S", "Another seed gives other parts; default 0");
  verb.AddOption("-o,--output", arguments->folder, "DIR", "The folder for the lists of ordinals, NAME.ids")
      .Required()
      .NotEmpty();
  verb.AddFlag("--force", arguments->force, "Replace lists of ordinals that are there; default: off");
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return SplitIndex(*arguments, context); });
}

}  // namespace ofindex
