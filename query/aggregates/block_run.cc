#include "query/aggregates/block_run.h"

#include <algorithm>
#include <variant>

#include "base/record.h"
#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

using Chunks = std::vector<std::shared_ptr<const Chunk>>;
using Form = Chunk::Form;

// Sets the bits from `first` on to the `count` bits of `words`; they are 0.
template <typename Word>
void CopyBits(std::span<uint64_t> bits, uint32_t first, uint32_t count, Word word) {
  const uint32_t shift = first % 64;
  for (uint32_t w = 0; w < WordCount(count); ++w) {
    const uint64_t more = word(w);
    bits[first / 64 + w] |= more << shift;
    if (shift != 0 && more >> (64 - shift) != 0) bits[first / 64 + w + 1] |= more >> (64 - shift);
  }
}

// Returns the form that the chunks have in common, if they can be joined; chunks without values have any form.
std::optional<Form> CommonForm(const Chunks& chunks) {
  Form form = Form::kEmpty;
  for (const auto& chunk : chunks) {
    if (chunk->form() == Form::kEmpty || chunk->form() == form) continue;
    if (form != Form::kEmpty) return std::nullopt;
    form = chunk->form();
  }
  const bool joins = form == Form::kEmpty || form == Form::kIntegers || form == Form::kFloats || form == Form::kDoubles;
  return joins ? std::optional<Form>(form) : std::nullopt;
}

// Calls `copy(chunk, first)` for each chunk that has values, `first` being the number of its first record.
template <typename Copy>
void ForEachPart(const Chunks& chunks, Copy copy) {
  uint32_t first = 0;
  for (const auto& chunk : chunks) {
    if (chunk->form() != Form::kEmpty) copy(*chunk, first);
    first += chunk->records();
  }
}

void CopyIntegers(const Chunk& chunk, std::span<int64_t> out) {
  const auto base = static_cast<uint64_t>(chunk.integers().base);
  std::visit(
      [&](const auto& offsets) {
        for (size_t r = 0; r < offsets.size(); ++r) out[r] = static_cast<int64_t>(base + offsets[r]);
      },
      chunk.integers().offsets);
}

template <typename Real>
Chunk JoinReals(const Chunks& chunks, uint32_t records, std::vector<uint64_t> present,
                std::span<const Real> (Chunk::*values)() const) {
  std::vector<Real> joined(records);
  ForEachPart(chunks, [&](const Chunk& chunk, uint32_t first) {
    std::copy((chunk.*values)().begin(), (chunk.*values)().end(), joined.begin() + first);
  });
  return Chunk::OfReals(std::move(joined), std::move(present));
}

std::optional<Chunk> Join(const Chunks& chunks, uint32_t records) {
  const std::optional<Form> form = CommonForm(chunks);
  if (!form) return std::nullopt;
  std::vector<uint64_t> present(WordCount(records));
  ForEachPart(chunks, [&](const Chunk& chunk, uint32_t first) {
    CopyBits(present, first, chunk.records(), [&](uint32_t w) { return chunk.present()[w]; });
  });
  if (form == Form::kFloats) return JoinReals(chunks, records, std::move(present), &Chunk::floats);
  if (form == Form::kDoubles) return JoinReals(chunks, records, std::move(present), &Chunk::doubles);
  std::vector<int64_t> joined(records);
  ForEachPart(chunks, [&](const Chunk& chunk, uint32_t first) {
    CopyIntegers(chunk, std::span(joined).subspan(first, chunk.records()));
  });
  return Chunk::OfIntegers(joined, std::move(present));
}

}  // namespace

std::vector<BlockRun> RunsFrom(const ColumnStore& store, uint64_t first, uint64_t records) {
  std::vector<BlockRun> runs;
  uint64_t taken = 0;
  for (uint64_t block = first; block < store.blocks().size(); ++block) {
    const uint32_t more = store.blocks()[block].records;
    if (taken >= records) break;
    const bool continues = !runs.empty() && uint64_t{runs.back().records} + more <= kBlockRecords;
    if (!continues) runs.push_back({.first = block});
    ++runs.back().count;
    runs.back().records += more;
    taken += more;
  }
  return runs;
}

Result<BlockSelection> SelectIn(const ColumnStore& store, const Predicate& predicate, const BlockRun& run) {
  if (run.count == 1) return predicate.Evaluate(run.first);
  std::vector<uint64_t> words(WordCount(run.records));
  uint32_t first = 0;
  for (uint64_t block = run.first; block < run.first + run.count; ++block) {
    OFINDEX_ASSIGN(const BlockSelection selected, predicate.Evaluate(block));
    const uint32_t records = store.blocks()[block].records;
    CopyBits(words, first, records, [&](uint32_t w) { return selected.Word(records, w); });
    first += records;
  }
  return SelectionOf(std::move(words), run.records);
}

const std::shared_ptr<const Chunk>& ChunkOf(const LoadedColumns& columns, uint32_t column) {
  return std::find_if(columns.begin(), columns.end(), [&](const auto& each) { return each.first == column; })->second;
}

Result<std::optional<LoadedColumns>> LoadColumns(ColumnStore& store, const ComputedColumns& computed,
                                                 std::span<const uint32_t> columns, const BlockRun& run) {
  LoadedColumns loaded;
  for (const uint32_t column : columns) {
    Chunks chunks;
    for (uint64_t block = run.first; block < run.first + run.count; ++block) {
      OFINDEX_ASSIGN(std::shared_ptr<const Chunk> chunk, LoadColumn(store, computed, column, block));
      chunks.push_back(std::move(chunk));
    }
    std::shared_ptr<const Chunk> whole = chunks.front();
    if (run.count > 1) {
      std::optional<Chunk> joined = Join(chunks, run.records);
      if (!joined) return std::nullopt;
      whole = std::make_shared<const Chunk>(*std::move(joined));
    }
    loaded.emplace_back(column, std::move(whole));
  }
  return std::optional<LoadedColumns>(std::move(loaded));
}

}  // namespace ofindex
