#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/shards/output_rule.h"
#include "index/writing/record_framing.h"
#include "query/dataset.h"
#include "query/ordinals.h"
#include "query/sampling/reading_facts.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/reading_options.h"
#include "tools/shell/selecting.h"
#include "tools/show/lost_shards.h"
#include "tools/show/record_stream.h"
#include "tools/show/shown_record.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct CatArguments {
  std::string index;
  std::string range = ":";
  std::string ids;
  Expression where;
  std::string to = "jsonl";
  std::string output;
  bool force = false;
  ReaderOptions reading;
};

// The destination of the records: standard output, or a file that is renamed into place when it is complete.
class Sink {
 public:
  [[nodiscard]] static Result<Sink> Open(const std::string& path) {
    Sink sink;
    if (path.empty() || path == "-") return sink;
    OFINDEX_ASSIGN(sink.temporary_, AtomicFile::Begin(path, AtomicFile::IfLocked::kFail));
    OFINDEX_ASSIGN(sink.file_, sink.temporary_->Open());
    sink.replaces_ = StatFile(path).has_value();
    return sink;
  }

  Result<void> Write(ByteView bytes) { return file_ ? file_->Append(bytes) : Output::Standard().Write(bytes); }

  /// Returns true if Close() replaces an existing file.
  [[nodiscard]] bool replaces() const { return replaces_; }

  Result<void> Close() {
    if (!file_) return Output::Standard().Flush();
    OFINDEX_TRY(file_->Flush());
    return temporary_->Publish(AtomicFile::Durability::kDurable);
  }

 private:
  std::optional<AtomicFile> temporary_;
  std::optional<OutputFile> file_;
  bool replaces_ = false;
};

Result<void> WriteFramed(Framing framing, ByteView payload, Sink& sink) {
  const RecordFraming around(framing, payload);
  OFINDEX_TRY(sink.Write(around.header()));
  OFINDEX_TRY(sink.Write(payload));
  return sink.Write(around.footer());
}

TakePayload TakerFor(const CatArguments& arguments, const Dataset& dataset, Sink& sink) {
  if (const std::optional<Framing> framing = ParseFraming(arguments.to)) {
    return [framing, &sink](uint64_t, ByteView payload) { return WriteFramed(*framing, payload, sink); };
  }
  if (arguments.to == "raw") return [&sink](uint64_t, ByteView payload) { return sink.Write(payload); };
  auto record = std::make_shared<ShownRecord>();
  return [record, &dataset, &sink](uint64_t ordinal, ByteView payload) -> Result<void> {
    OFINDEX_TRY(record->Take(dataset, ordinal, payload));
    OFINDEX_ASSIGN(const Json json, record->ToJson(std::nullopt));
    return sink.Write(AsBytes(Dump(json) + "\n"));
  };
}

// The records of a range that are not gone.
Result<NextOrdinal> OrdinalsOfRange(const std::string& text, const Dataset& dataset) {
  OFINDEX_ASSIGN(const OrdinalRange range, ParseOrdinals(text, dataset.size()));
  OFINDEX_ASSIGN(const View present, PresentRecords(dataset.reader()));
  return NextOrdinal(
      [view = present.Between(range.begin, range.end), i = uint64_t{0}](uint64_t& ordinal) mutable -> Result<bool> {
        if (i == view.size()) return false;
        ordinal = view.At(i++);
        return true;
      });
}

// Reads a file of ordinals, one per line, as the records are read, so it may be endless.
Result<NextOrdinal> OrdinalsOfFile(const std::string& path, uint64_t size) {
  auto file = std::make_shared<std::ifstream>();
  if (path != "-") {
    file->open(path);
    if (!*file) return tl::unexpected(SystemError(path, "cannot open the list of ordinals", errno));
  }
  return NextOrdinal([file, path, size, line_number = uint64_t{0}](uint64_t& ordinal) mutable -> Result<bool> {
    std::istream& in = path == "-" ? std::cin : *file;
    for (std::string line; std::getline(in, line);) {
      ++line_number;
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) continue;
      const auto range = ParseOrdinals(line, size);
      if (range && range->end == range->begin + 1) {
        ordinal = range->begin;
        return true;
      }
      return Fail(
          range ? ErrorCode::kUsage : range.error().code,
          StrCat(Printable(path), ": line ", line_number, ": ", range ? "expected one ordinal" : range.error().message),
          "the list has one ordinal a line");
    }
    if (in.bad()) {
      return errno == EINTR ? Interrupted()
                            : tl::unexpected(SystemError(path, "cannot read the list of ordinals", errno));
    }
    return false;
  });
}

// The selected records in [begin, end) of the dataset. Expands the ordinals of one block at a time.
class SelectedOrdinals {
 public:
  SelectedOrdinals(Selection selection, OrdinalRange range) : selection_(std::move(selection)), range_(range) {}

  bool Next(uint64_t& ordinal) {
    while (at_ == ordinals_.size()) {
      if (block_ == selection_.blocks().size()) return false;
      ordinals_.clear();
      at_ = 0;
      selection_.ForEachIn(block_++, [this](uint64_t one) {
        if (one >= range_.begin && one < range_.end) ordinals_.push_back(one);
        return true;
      });
    }
    ordinal = ordinals_[at_++];
    return true;
  }

 private:
  Selection selection_;
  OrdinalRange range_;
  std::vector<uint64_t> ordinals_;
  size_t at_ = 0;
  size_t block_ = 0;
};

Result<NextOrdinal> OrdinalsWhere(const CatArguments& arguments, const Dataset& dataset, const Context& context) {
  OFINDEX_ASSIGN(const OrdinalRange range, ParseOrdinals(arguments.range, dataset.size()));
  OFINDEX_ASSIGN(Selection selection, SelectRecords(*dataset.snapshot(), arguments.where, context));
  dataset.snapshot()->CloseColumns();  // their chunks are not needed any more
  auto selected = std::make_shared<SelectedOrdinals>(std::move(selection), range);
  return NextOrdinal([selected](uint64_t& ordinal) -> Result<bool> { return selected->Next(ordinal); });
}

Result<NextOrdinal> OrdinalsFor(const CatArguments& arguments, const Dataset& dataset, const Context& context) {
  if (arguments.where.given()) return OrdinalsWhere(arguments, dataset, context);
  if (!arguments.ids.empty()) return OrdinalsOfFile(arguments.ids, dataset.size());
  return OrdinalsOfRange(arguments.range, dataset);
}

OutputKind KindOf(const CatArguments& arguments) {
  if (const std::optional<Framing> framing = ParseFraming(arguments.to)) return OutputOf(*framing);
  return arguments.to == "raw" ? OutputKind::kRaw : OutputKind::kJsonLines;
}

// Runs before any record is read. The output must not be an input, and a new shard must not lie among the input shards.
Result<void> CheckSink(const CatArguments& arguments, const Dataset& dataset) {
  if (arguments.output.empty() || arguments.output == "-") return {};
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  InputFiles inputs(dataset.index_path(), catalog->shards(), catalog->facts().sources, arguments.reading.root);
  inputs.Add(arguments.index);
  inputs.Add(arguments.ids);
  const bool shard = ParseFraming(arguments.to).has_value();
  if (shard) OFINDEX_TRY(CheckAlone(arguments.output));
  OFINDEX_TRY(CheckOutput(arguments.output, KindOf(arguments), arguments.force, inputs));
  if (!shard) return {};
  return CheckOutside(arguments.output, OutputShape::kFile, inputs);
}

Result<int> Cat(const CatArguments& arguments, const Context& context) {
  OFINDEX_ASSIGN(const Dataset dataset, Dataset::Open(arguments.index, arguments.reading, context.progress));
  OFINDEX_TRY(CheckSink(arguments, dataset));
  OFINDEX_ASSIGN(const NextOrdinal next, OrdinalsFor(arguments, dataset, context));
  OFINDEX_ASSIGN(Sink sink, Sink::Open(arguments.output));
  LostShards lost(dataset, context);
  OFINDEX_ASSIGN(const int exit_code, StreamRecords(dataset, next, TakerFor(arguments, dataset, sink), context, &lost));
  // The old file may be complete, and records of a lost shard may become readable later.
  const bool keeps_old = sink.replaces() && lost.exit_code() != 0;
  if (!keeps_old) OFINDEX_TRY(sink.Close());
  lost.PrintRest();
  if (keeps_old) PrintNote(StrCat("note: ", arguments.output, " is unchanged: not all records could be read"), context);
  return std::max(exit_code, lost.exit_code());
}

}  // namespace

void AddCat(CommandLine& line, Context& context) {
  Verb verb =
      AddVerb(line, context, "cat", "Stream records, in ordinal order or in the order of a list", Formats::kNone);
  auto arguments = std::make_shared<CatArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddOption("--range", arguments->range, "A:B", "Only records A:B; default: all");
  AddWhere(verb, arguments->where,
           "Only records for which this SQL expression holds; with --range, only those of the range");
  verb.AddOption("--ids", arguments->ids, "FILE",
                 "Records of this list, one ordinal per line, in its order; - is standard input")
      .Excludes({"--range", "--where"});
  verb.AddOption("--to", arguments->to, "FORM",
                 "jsonl, tfrecord or ofrecord (unchanged payloads, framed again), raw (only payloads); default jsonl")
      .OneOf({"jsonl", "tfrecord", "ofrecord", "raw"});
  verb.AddOption("-o,--output", arguments->output, "FILE", "A file to write; default: standard output").NotEmpty();
  verb.AddFlag("--force", arguments->force,
               "Replace FILE if it holds records in the output form and is not an input; default: off");
  AddReadingOptions(verb, arguments->reading);
  verb.Runs([arguments, &context] { return Cat(*arguments, context); });
}

}  // namespace ofindex
