#include "tools/sampling/block_option.h"

#include <charconv>

#include "base/text.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"
#include "query/sampling/inflate_cost.h"
#include "query/sampling/reading_facts.h"
#include "tools/shell/messages.h"

namespace ofindex {
namespace {

Result<std::optional<BlockShape>> ChooseShape(std::optional<uint64_t> lanes,
                                              const std::shared_ptr<const Snapshot>& snapshot, const Context& context) {
  OFINDEX_ASSIGN(const Dataset dataset, Dataset::Open(snapshot));
  OFINDEX_ASSIGN(const ReadingFacts facts, ReadingFactsOf(dataset));
  const BlockChoice choice = ChooseBlock(facts, lanes);
  PrintNote(choice.reason, context);
  return choice.shape.run == 1 ? std::nullopt : std::optional(choice.shape);
}

}  // namespace

Result<std::optional<BlockShape>> ParseBlock(const std::string& text, std::optional<uint64_t> lanes,
                                             const std::shared_ptr<const Snapshot>& snapshot, const Context& context) {
  if (text.empty()) return std::nullopt;
  if (text == "auto") return ChooseShape(lanes, snapshot, context);
  BlockShape shape;
  shape.lanes = lanes.value_or(shape.lanes);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, shape.run);
  if (error != std::errc() || stop != end || shape.run == 0) {
    return Fail(ErrorCode::kUsage, StrCat("--block ", Printable(text), ": expected auto or a number of records"));
  }
  return shape;
}

void AdviseBlocks(const std::shared_ptr<const Snapshot>& snapshot, const Context& context) {
  const auto catalog = snapshot->Catalog();
  if (!catalog || !AnyCompressed((*catalog)->shards()) || context.quiet) return;
  const auto dataset = Dataset::Open(snapshot);
  if (!dataset) return;
  const auto facts = ReadingFactsOf(*dataset);
  if (!facts) return;
  const auto cost = CostOfGlobalShuffle(*dataset, *facts);
  if (cost && *cost) PrintNote(StrCat(**cost, "; --block auto reads them in runs"), context);
}

}  // namespace ofindex
