#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/dataset.h"
#include "query/keys/record_keys.h"
#include "query/ordinals.h"
#include "query/sampling/reading_facts.h"
#include "query/sampling/sets/set_of.h"
#include "tools/options/reading_options.h"
#include "tools/options/selecting.h"
#include "tools/ordinals/listed_records.h"
#include "tools/ordinals/ordinal_list.h"
#include "tools/ordinals/ordinal_source.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/show/chosen_features.h"
#include "tools/show/lost_shards.h"
#include "tools/show/pieces/record_pieces.h"
#include "tools/show/record_stream.h"
#include "tools/show/shown_record.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct GetArguments {
  std::string index;
  std::vector<std::string> ordinals;
  std::vector<std::string> feature;
  Expression where;
  std::string ids;
  std::vector<std::string> keys;
  bool raw = false;
  bool wire = false;
  ReaderOptions reading;
};

// Prints records one after the other, in one of the requested forms.
class Getter {
 public:
  Getter(const GetArguments& arguments, std::vector<std::string> features, const Context& context)
      : arguments_(arguments), features_(std::move(features)), context_(context) {}

  Result<void> Begin() {
    if (!context_.json) return {};
    return out_.Write("{\"schema\":\"ofindex.get/1\",\"records\":[");
  }

  Result<void> Show(const Dataset& dataset, uint64_t ordinal) {
    const bool whole = arguments_.wire || (arguments_.raw && features_.empty());
    pieces_.Begin(record_.record());
    OFINDEX_TRY(whole ? record_.Fetch(dataset, ordinal) : record_.Load(dataset, ordinal));
    pieces_.Begin(record_.record());
    Result<void> added = Add();
    // A malformed message is shown up to the fault.
    if (added || added.error().code == ErrorCode::kDamage) OFINDEX_TRY(pieces_.Finish());
    if (pieces_.has_written()) ++shown_;
    return added;
  }

  /// Returns whether some of the record shown last was written.
  [[nodiscard]] bool has_written() const { return pieces_.has_written(); }

  Result<void> End() {
    if (!context_.json) return {};
    return out_.Line("]}");
  }

 private:
  Result<void> Add() {
    if (arguments_.raw && features_.empty()) {
      OFINDEX_TRY(CheckOutput(record_.payload()));
      return pieces_.Add(AsText(record_.payload()));
    }
    if (arguments_.wire) {
      OFINDEX_TRY(AddSeparator("\n"));
      return record_.AddWire(features_, context_.progress.cancel, pieces_);
    }
    OFINDEX_TRY(record_.Require(features_));
    if (arguments_.raw) {
      for (const std::string& name : features_) OFINDEX_TRY(record_.AddFeature(name, pieces_));
      return {};
    }
    if (context_.json || context_.jsonl) {
      if (!context_.jsonl) OFINDEX_TRY(AddSeparator(","));
      OFINDEX_TRY(record_.AddJson(features_, pieces_));
      return context_.jsonl ? pieces_.Add("\n") : Result<void>();
    }
    OFINDEX_TRY(AddSeparator("\n"));
    return record_.AddText(features_, pieces_);
  }

  Result<void> AddSeparator(std::string_view text) { return shown_ == 0 ? Result<void>() : pieces_.Add(text); }

  // A terminal gets only text. A payload is judged as a whole, a feature by pieces.
  [[nodiscard]] static Result<void> CheckOutput(ByteView bytes) {
    return RefuseOnTerminal(bytes, "--raw", "redirect the output; --wire explains the bytes");
  }

  Result<void> Write(ByteView bytes) {
    if (arguments_.raw && !features_.empty()) OFINDEX_TRY(CheckOutput(bytes));
    return out_.Write(bytes);
  }

  const GetArguments& arguments_;
  const std::vector<std::string> features_;
  const Context& context_;
  Output& out_ = Output::Standard();
  ShownRecord record_;
  RecordPieces pieces_{[this](ByteView bytes) { return Write(bytes); }};
  uint64_t shown_ = 0;
};

// Returns true if `error` came from reading the record. Reads it again after kIo, which may also come from writing the
// output.
bool CannotBeRead(const Dataset& dataset, uint64_t ordinal, const Error& error) {
  if (error.code == ErrorCode::kStale) return true;
  std::vector<uint8_t> room;
  return error.code == ErrorCode::kIo && !dataset.reader().Lend(ordinal, room);
}

// Returns the records that may be shown: all that are not gone or, with --where, those that it holds for.
Result<View> RecordsOfChoice(const GetArguments& arguments, const Dataset& dataset, const Context& context) {
  if (!arguments.where.given()) return PresentRecords(dataset.reader());
  OFINDEX_ASSIGN(const Selection selection, SelectRecords(*dataset.snapshot(), arguments.where, context));
  dataset.snapshot()->CloseColumns();  // their chunks are not needed any more
  return View::Of(SetOf(selection));
}

// Returns the range of an argument. The hint of an error is on lists of ordinals if the argument looks like one.
Result<OrdinalRange> RangeOf(const std::string& text, uint64_t records) {
  Result<OrdinalRange> range = ParseOrdinals(text, records);
  if (range || range.error().code != ErrorCode::kUsage) return range;
  Error error = std::move(range).error();
  std::error_code ignored;
  if (text == "-" || std::filesystem::is_regular_file(text, ignored)) {
    error.hint = StrCat("--ids ", ShellWord(text), " reads a list of ordinals");
  } else if (text.find(',') != std::string::npos) {
    error.hint = "put spaces between ordinals; --ids FILE reads a list of them";
  }
  return tl::unexpected(std::move(error));
}

// Returns the records that the arguments name, one view for each. Ranges leave out records that are gone; a single
// ordinal of such a record is an error.
Result<std::vector<View>> RecordsToShow(const GetArguments& arguments, const Dataset& dataset, const Context& context) {
  OFINDEX_ASSIGN(const View present, RecordsOfChoice(arguments, dataset, context));
  std::vector<View> views;
  if (arguments.ordinals.empty()) views.push_back(present);
  for (const std::string& text : arguments.ordinals) {
    OFINDEX_ASSIGN(const OrdinalRange range, RangeOf(text, dataset.size()));
    if (text.find(':') == std::string::npos) OFINDEX_TRY(dataset.reader().Locate(range.begin));
    views.push_back(present.Between(range.begin, range.end));
  }
  return views;
}

// Returns the records of --ids. A document is one value, so its list must be right to the end before it begins.
Result<NextOrdinal> OrdinalsOfIds(const GetArguments& arguments, const Dataset& dataset, const Context& context) {
  if (!context.json) return OrdinalsListed(arguments.ids, dataset, context);
  OFINDEX_ASSIGN(std::vector<uint64_t> ordinals, ReadOrdinals(arguments.ids, dataset.size(), context.progress.cancel,
                                                              "--jsonl takes a list of any length"));
  for (const uint64_t ordinal : ordinals) OFINDEX_TRY(dataset.reader().Locate(ordinal));
  return OrdinalsOf(std::move(ordinals));
}

// Returns the records of --key, those of one key after those of the other. Errors: kUsage if no record has a key.
Result<NextOrdinal> OrdinalsOfKeys(const GetArguments& arguments, const Dataset& dataset) {
  OFINDEX_ASSIGN(const RecordKeys keys, RecordKeys::Open(dataset));
  std::vector<uint64_t> ordinals;
  for (const std::string& text : arguments.keys) {
    OFINDEX_ASSIGN(const std::vector<uint64_t> found, keys.FindText(text));
    ordinals.insert(ordinals.end(), found.begin(), found.end());
  }
  return OrdinalsOf(std::move(ordinals));
}

// Returns the ordinals to show, in order: those of --ids, or of the views for the other arguments.
Result<NextOrdinal> OrdinalsToShow(const GetArguments& arguments, const Dataset& dataset, const Context& context) {
  if (!arguments.ids.empty()) return OrdinalsOfIds(arguments, dataset, context);
  if (!arguments.keys.empty()) return OrdinalsOfKeys(arguments, dataset);
  OFINDEX_ASSIGN(std::vector<View> views, RecordsToShow(arguments, dataset, context));
  return NextOrdinal(
      [views = std::move(views), view = size_t{0}, at = uint64_t{0}](uint64_t& ordinal) mutable -> Result<bool> {
        for (; view < views.size(); ++view, at = 0) {
          if (at == views[view].size()) continue;
          ordinal = views[view].At(at++);
          return true;
        }
        return false;
      });
}

// Shows all records except bad ones and those of unreadable shards; any other error ends it.
Result<int> ShowAll(const Dataset& dataset, const NextOrdinal& next, Getter& getter, LostShards& lost,
                    const Context& context) {
  int exit_code = 0;
  for (uint64_t ordinal = 0;;) {
    if (context.progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const bool more, next(ordinal));
    if (!more) return exit_code;
    if (lost.Has(ordinal)) continue;
    auto shown = getter.Show(dataset, ordinal);
    if (shown) continue;
    if (!getter.has_written() && CannotBeRead(dataset, ordinal, shown.error())) {
      OFINDEX_TRY(lost.Add(ordinal, shown.error()));
      continue;
    }
    if (shown.error().code != ErrorCode::kDamage) return tl::unexpected(std::move(shown).error());
    OFINDEX_TRY(Output::Standard().Flush());  // earlier output comes before the error
    PrintError(shown.error(), context);
    exit_code = ExitCode(ErrorCode::kDamage);
  }
}

Result<int> Get(const GetArguments& arguments, const Context& context) {
  if (arguments.ordinals.empty() && !arguments.where.given() && arguments.ids.empty() && arguments.keys.empty()) {
    return Fail(ErrorCode::kUsage, "ORDINAL, --ids, --key or --where is missing", "see `ofindex get --help`");
  }
  if (!arguments.ordinals.empty() && (!arguments.ids.empty() || !arguments.keys.empty())) {
    return Fail(
        ErrorCode::kUsage,
        StrCat("ORDINAL and ", arguments.keys.empty() ? "--ids" : "--key", " exclude each other; expected one of them"),
        "see `ofindex get --help`");
  }
  ReaderOptions reading = arguments.reading;
  OFINDEX_ASSIGN(std::vector<std::string> features, ChosenFeatures(arguments.feature));
  reading.allow_bad = arguments.wire;  // --wire also explains bad records
  OFINDEX_ASSIGN(const Dataset dataset, Dataset::Open(arguments.index, reading, context.progress));
  OFINDEX_ASSIGN(const NextOrdinal next, OrdinalsToShow(arguments, dataset, context));
  Getter getter(arguments, std::move(features), context);
  OFINDEX_TRY(getter.Begin());
  LostShards lost(dataset, context);
  OFINDEX_ASSIGN(const int exit_code, ShowAll(dataset, next, getter, lost, context));
  OFINDEX_TRY(getter.End());
  OFINDEX_TRY(Output::Standard().Flush());
  lost.PrintRest();
  return std::max(exit_code, lost.exit_code());
}

}  // namespace

void AddGet(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "get", "Show records", Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<GetArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddArgument("ORDINAL", arguments->ordinals, "Records by number, from 0; negative: from the end; ranges A:B");
  AddWhere(verb, arguments->where, "Records for which this SQL expression holds; with ORDINALs, only those of them");
  AddIds(verb, arguments->ids, "Records of this list of ordinals, in its order").Excludes({"--where"});
  verb.AddOption(
          "--key", arguments->keys, "NAME=VALUE",
          "Records whose feature NAME has this value, by a key that `ofindex key` has made; may be given several "
          "times; a = in a name is \\=")
      .Excludes({"--where", "--ids"});
  verb.AddOption("--feature", arguments->feature, "NAME,...",
                 "Only these features (a feature list is NAME[]); a comma in a name is \\,");
  verb.AddFlag("--raw", arguments->raw,
               "The payload's bytes; with --feature, its values: byte strings as they are, numbers little-endian")
      .Excludes({"--json", "--jsonl"});
  verb.AddFlag("--wire", arguments->wire,
               "The payload's bytes explained: tags, lengths, values; with --feature, the bytes that encode it")
      .Excludes({"--json", "--jsonl", "--raw"});
  AddReadingOptions(verb, arguments->reading);
  verb.Runs([arguments, &context] { return Get(*arguments, context); });
}

}  // namespace ofindex
