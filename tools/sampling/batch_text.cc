#include "tools/sampling/batch_text.h"

#include <optional>
#include <span>
#include <vector>

#include "base/text.h"
#include "query/dataset.h"
#include "query/sampling/length_batches.h"
#include "query/sampling/record_lengths.h"
#include "tools/sampling/ordinal_text.h"

namespace ofindex {
namespace {

std::string Joined(const std::vector<uint64_t>& ordinals, const char* between) {
  std::string text;
  for (const uint64_t ordinal : ordinals) {
    if (!text.empty()) text += between;
    AppendOrdinal(ordinal, text);
  }
  return text;
}

Result<void> PrintBatch(const std::vector<uint64_t>& batch, bool first, const Context& context, Output& out) {
  if (context.json) return out.Write(StrCat(first ? "[" : ",[", Joined(batch, ","), "]"));
  return out.Line(context.jsonl ? StrCat("{\"ids\":[", Joined(batch, ","), "]}") : Joined(batch, " "));
}

Result<void> PrintAll(LengthBatches& batches, uint64_t most, const Context& context, Output& out) {
  if (context.json) OFINDEX_TRY(out.Write("{\"schema\":\"ofindex.sample/1\",\"batches\":["));
  std::vector<uint64_t> batch;
  for (uint64_t i = 0; i < most; ++i) {
    OFINDEX_ASSIGN(const bool more, batches.Next(batch));
    if (!more) break;
    OFINDEX_TRY(PrintBatch(batch, i == 0, context, out));
    if (context.progress.cancel) return Interrupted();
  }
  if (context.json) OFINDEX_TRY(out.Line("]}"));
  return out.Flush();
}

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
  const BatchLimits limits{.total = request.total};
  OFINDEX_ASSIGN(LengthBatches batches, LengthBatches::Of(whole, watched, limits, request.slice, request.tail));
  return PrintAll(batches, request.most, context, out);
}

}  // namespace ofindex
