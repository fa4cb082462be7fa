#include "tools/sampling/batch_text.h"

#include <cstdio>
#include <numeric>
#include <optional>
#include <span>

#include "base/text.h"
#include "query/dataset.h"
#include "query/sampling/lengths/record_lengths.h"
#include "tools/sampling/ordinal_text.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"

namespace ofindex {
namespace {

std::string Joined(std::span<const uint64_t> ordinals, const char* between) {
  std::string text;
  for (const uint64_t ordinal : ordinals) {
    if (!text.empty()) text += between;
    AppendOrdinal(ordinal, text);
  }
  return text;
}

// Prints batches, or the rows of packed ones, up to a number of them.
class BatchPrinter {
 public:
  BatchPrinter(const BatchRequest& request, const Context& context, Output& out)
      : request_(request), packed_(request.limits.packed.has_value()), context_(context), out_(out) {}

  [[nodiscard]] Result<void> Print(LengthBatches& batches) {
    if (context_.json) {
      OFINDEX_TRY(out_.Write(StrCat("{\"schema\":\"ofindex.sample/1\",\"", packed_ ? "rows" : "batches", "\":[")));
    }
    LengthBatch batch;
    while (printed_ < request_.most) {
      OFINDEX_ASSIGN(const bool more, batches.Next(batch));
      if (!more) break;
      OFINDEX_TRY(PrintRows(batch));
      if (context_.progress.cancel) return Interrupted();
    }
    return PrintEnd();
  }

 private:
  [[nodiscard]] Result<void> PrintRows(const LengthBatch& batch) {
    uint64_t begin = 0;
    for (size_t i = 0; i < batch.ends.size() && printed_ < request_.most; ++i) {
      const uint64_t records = batch.ends[i] - begin;
      const auto lengths = std::span(batch.lengths).subspan(begin, records);
      const uint64_t tokens = std::accumulate(lengths.begin(), lengths.end(), uint64_t{0});
      OFINDEX_TRY(PrintRow(std::span(batch.ordinals).subspan(begin, records), tokens));
      tokens_ += tokens;
      ++printed_;
      begin = batch.ends[i];
    }
    return {};
  }

  [[nodiscard]] Result<void> PrintRow(std::span<const uint64_t> ordinals, uint64_t tokens) {
    if (context_.json) return out_.Write(StrCat(printed_ == 0 ? "[" : ",[", Joined(ordinals, ","), "]"));
    if (!context_.jsonl) return out_.Line(Joined(ordinals, " "));
    return out_.Line(
        StrCat("{\"ids\":[", Joined(ordinals, ","), "]", packed_ ? StrCat(",\"tokens\":", tokens) : "", "}"));
  }

  // Of rows, prints how full they are.
  [[nodiscard]] Result<void> PrintEnd() {
    const double room = static_cast<double>(request_.limits.total) * static_cast<double>(printed_);
    const double padding = printed_ == 0 ? 0 : (room - static_cast<double>(tokens_)) / room;
    if (context_.json) {
      const Json facts = {{"tokens", tokens_}, {"padding", padding}};
      OFINDEX_TRY(out_.Line(packed_ ? StrCat("],", Dump(facts).substr(1)) : "]}"));
    }
    OFINDEX_TRY(out_.Flush());
    if (packed_ && !context_.json) {
      char percent[32];
      std::snprintf(percent, sizeof percent, "%.2f %%", 100 * padding);
      PrintNote(StrCat(Counted(printed_, "row"), " of ", FormatCount(request_.limits.total), " tokens: ", percent,
                       " padding"),
                context_);
    }
    return {};
  }

  const BatchRequest& request_;
  bool packed_;
  const Context& context_;
  Output& out_;
  uint64_t printed_ = 0;  // batches or rows
  uint64_t tokens_ = 0;   // of them
};

}  // namespace

Result<void> PrintBatches(const Sampler& whole, const std::shared_ptr<const Snapshot>& snapshot,
                          const BatchRequest& request, const Context& context, Output& out) {
  std::optional<Dataset> dataset;
  std::shared_ptr<ColumnStore> columns;
  LengthsOf lengths;
  if (request.by.empty()) {
    OFINDEX_ASSIGN(dataset, Dataset::Open(snapshot));
    lengths = LengthsOfPayloads(dataset->reader());
  } else {
    OFINDEX_ASSIGN(columns, snapshot->Columns());
    OFINDEX_ASSIGN(lengths, LengthsOfColumn(*columns, request.by, &context.progress.cancel));
  }
  // Building one batch may take long.
  const LengthsOf watched = [&](std::span<const uint64_t> ordinals, std::span<uint64_t> found) -> Result<void> {
    return context.progress.cancel ? Interrupted() : lengths(ordinals, found);
  };
  OFINDEX_ASSIGN(LengthBatches batches, LengthBatches::Of(whole, watched, request.limits, request.slice, request.tail));
  return BatchPrinter(request, context, out).Print(batches);
}

}  // namespace ofindex
