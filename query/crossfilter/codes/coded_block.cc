#include "query/crossfilter/codes/coded_block.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <variant>

#include "query/columns/chunk_numbers.h"
#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

// Blocks with fewer records keep no counts: counting them takes no longer than adding 256 counts.
constexpr uint32_t kMinCounted = 2048;

// Counts are kept in four tables in turn: adding to the entry that was just written would wait for that write.
class CodeTables {
 public:
  void Add(std::span<const BinCode> codes, std::span<const uint64_t> words) {
    for (size_t w = 0; w < words.size(); ++w) {
      const BinCode* const at = codes.data() + w * 64;
      if (words[w] == ~uint64_t{0}) {
        for (size_t i = 0; i < 64; ++i) ++counts_[(i % 4) * 256 + at[i]];
        continue;
      }
      for (uint64_t left = words[w]; left != 0; left &= left - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(left));
        ++counts_[(i % 4) * 256 + at[i]];
      }
    }
  }

  void AddAll(std::span<const BinCode> codes) {
    for (size_t i = 0; i < codes.size(); ++i) ++counts_[(i % 4) * 256 + codes[i]];
  }

  [[nodiscard]] uint32_t operator[](size_t code) const {
    return counts_[code] + counts_[256 + code] + counts_[512 + code] + counts_[768 + code];
  }

 private:
  std::array<uint32_t, 1024> counts_{};
};

// Integers in 8 bits have few values: each gets its code once.
template <typename Bins>
void EncodeFewIntegers(const Chunk& chunk, const std::vector<uint8_t>& offsets, const Bins& bins,
                       std::vector<BinCode>& codes) {
  std::array<BinCode, 256> table;
  const auto base = static_cast<uint64_t>(chunk.integers().base);
  for (size_t i = 0; i < table.size(); ++i) table[i] = bins.CodeOf(static_cast<int64_t>(base + i));
  ForEachSet(chunk.present(), [&](uint32_t r) { codes[r] = table[offsets[r]]; });
}

template <typename Bins>
std::vector<BinCode> CodesOfChunk(const Chunk& chunk, const Bins& bins) {
  std::vector<BinCode> codes(chunk.records(), kNullValue);
  const auto* const few = std::get_if<std::vector<uint8_t>>(&chunk.integers().offsets);
  if (chunk.form() == Chunk::Form::kIntegers && few != nullptr) {
    EncodeFewIntegers(chunk, *few, bins, codes);
    return codes;
  }
  const auto number = [&](uint32_t r, auto value) { codes[r] = bins.CodeOf(value); };
  ForEachNumber(chunk, number, number);
  const std::vector<BinCode> strings = bins.CodesOf(chunk.strings());
  ForEachString(chunk, [&](uint32_t r, uint32_t n) { codes[r] = strings[n]; });
  return codes;
}

}  // namespace

CodedBlock CodedBlock::Of(const Chunk& chunk, const Binning& binning) {
  CodedBlock block;
  block.records_ = chunk.records();
  if (chunk.records() == 0) return block;
  std::vector<BinCode> codes = std::visit([&](const auto& bins) { return CodesOfChunk(chunk, bins); }, binning);
  block.only_ = codes[0];
  if (std::all_of(codes.begin(), codes.end(), [&](BinCode code) { return code == codes[0]; })) return block;
  block.codes_ = std::move(codes);
  if (block.records_ < kMinCounted) return block;
  CodeTables tables;
  tables.AddAll(block.codes_);
  block.counts_.resize(256);
  for (size_t code = 0; code < 256; ++code) block.counts_[code] = tables[code];
  return block;
}

ValueFilter::Verdict CodedBlock::Evaluate(const CodeMask& mask) const {
  if (codes_.empty()) return mask.accepts(only_) ? ValueFilter::Verdict::kAll : ValueFilter::Verdict::kNone;
  if (counts_.empty()) return ValueFilter::Verdict::kSome;
  uint64_t accepted = 0;
  for (size_t code = 0; code < 256; ++code) {
    if (mask.accepts(static_cast<BinCode>(code))) accepted += counts_[code];
  }
  if (accepted == 0) return ValueFilter::Verdict::kNone;
  return accepted == records_ ? ValueFilter::Verdict::kAll : ValueFilter::Verdict::kSome;
}

void CodedBlock::Match(const CodeMask& mask, std::span<uint64_t> words) const {
  const ValueFilter::Verdict verdict = Evaluate(mask);
  if (verdict == ValueFilter::Verdict::kSome) return mask.Match(codes_, words);
  for (uint32_t w = 0; w < words.size(); ++w) {
    words[w] = verdict == ValueFilter::Verdict::kAll ? RecordBits(records_, w) : 0;
  }
}

void CodedBlock::AddAll(CodeCounts& counts) const {
  if (codes_.empty()) {
    counts[only_] += records_;
  } else if (counts_.empty()) {
    for (const BinCode code : codes_) ++counts[code];
  } else {
    for (size_t code = 0; code < 256; ++code) counts[code] += counts_[code];
  }
}

void CodedBlock::Add(std::span<const uint64_t> words, uint64_t selected, CodeCounts& counts) const {
  if (selected == 0) return;
  if (selected == records_) return AddAll(counts);
  if (codes_.empty()) {
    counts[only_] += selected;
  } else if (counts_.empty()) {
    ForEachSet(words, [&](uint32_t r) { ++counts[codes_[r]]; });
  } else {
    CodeTables tables;
    tables.Add(codes_, words);
    for (size_t code = 0; code < 256; ++code) counts[code] += tables[code];
  }
}

uint64_t CodedBlock::MaxMemory(uint32_t records) {
  constexpr uint64_t kControl = 64;  // of a shared pointer, and of the allocator
  return sizeof(CodedBlock) + kControl + records + (records < kMinCounted ? 0 : 256 * sizeof(uint32_t));
}

}  // namespace ofindex
