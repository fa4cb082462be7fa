#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include "index/chunks/chunk.h"

namespace ofindex {

/// Calls `body(record)` for each record whose bit is set, in ascending order.
template <typename Body>
void ForEachSet(std::span<const uint64_t> words, Body&& body) {
  for (uint32_t w = 0; w < words.size(); ++w) {
    const uint32_t first = w * 64;
    if (words[w] == ~uint64_t{0}) {
      for (uint32_t r = first; r < first + 64; ++r) body(r);
      continue;
    }
    for (uint64_t left = words[w]; left != 0; left &= left - 1) {
      body(first + static_cast<uint32_t>(std::countr_zero(left)));
    }
  }
}

[[nodiscard]] inline uint64_t CountSet(std::span<const uint64_t> words) {
  uint64_t count = 0;
  for (const uint64_t word : words) count += static_cast<uint64_t>(std::popcount(word));
  return count;
}

namespace chunk_numbers_internal {

[[nodiscard]] constexpr bool IsInteger(FeatureKind kind) {
  return kind == FeatureKind::kInt32 || kind == FeatureKind::kInt64;
}

/// Passes one element of record `r`'s list of numbers, of a kind that is not bytes.
template <typename OnInteger, typename OnReal>
void Element(uint32_t r, FeatureKind kind, uint64_t bits, OnInteger& on_integer, OnReal& on_real) {
  if (IsInteger(kind)) on_integer(r, static_cast<int64_t>(bits));
  if (kind == FeatureKind::kFloat) on_real(r, double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
  if (kind == FeatureKind::kDouble) on_real(r, std::bit_cast<double>(bits));
}

template <typename OnInteger, typename OnReal>
void OfMixed(const Chunk& chunk, OnInteger& on_integer, OnReal& on_real) {
  ForEachSet(chunk.present(), [&](uint32_t r) {
    const FeatureKind kind = chunk.kind_of(r);
    if (kind == FeatureKind::kFloat) on_real(r, double{chunk.floats()[r]});
    if (kind == FeatureKind::kDouble) on_real(r, chunk.doubles()[r]);
    if (IsInteger(kind)) on_integer(r, chunk.At(r).integer);
  });
}

template <typename OnInteger, typename OnReal>
void OfLists(const Chunk& chunk, OnInteger& on_integer, OnReal& on_real) {
  const Chunk::Lists& lists = chunk.lists();
  uint32_t first = 0;
  for (uint32_t r = 0; r < lists.ends.size(); ++r) {
    const FeatureKind kind = lists.kinds[lists.kinds.size() == 1 ? 0 : r];
    const uint32_t end = lists.ends[r];
    if (kind != FeatureKind::kBytes) {
      for (uint32_t i = first; i < end; ++i) Element(r, kind, lists.numbers[i], on_integer, on_real);
    }
    first = end;
  }
}

}  // namespace chunk_numbers_internal

/// Calls `on_integer(record, int64_t)` or `on_real(record, double)`, NaN included, for each number in `chunk`, in the
/// order of records and of the elements of their lists. Bytes are skipped.
template <typename OnInteger, typename OnReal>
void ForEachNumber(const Chunk& chunk, OnInteger on_integer, OnReal on_real) {
  switch (chunk.form()) {
    case Chunk::Form::kEmpty:
    case Chunk::Form::kBytes: return;
    case Chunk::Form::kIntegers:
      std::visit(
          [&](const auto& offsets) {
            const auto base = static_cast<uint64_t>(chunk.integers().base);
            ForEachSet(chunk.present(), [&](uint32_t r) { on_integer(r, static_cast<int64_t>(base + offsets[r])); });
          },
          chunk.integers().offsets);
      return;
    case Chunk::Form::kFloats:
      ForEachSet(chunk.present(), [&](uint32_t r) { on_real(r, double{chunk.floats()[r]}); });
      return;
    case Chunk::Form::kDoubles:
      ForEachSet(chunk.present(), [&](uint32_t r) { on_real(r, chunk.doubles()[r]); });
      return;
    case Chunk::Form::kMixed: return chunk_numbers_internal::OfMixed(chunk, on_integer, on_real);
    case Chunk::Form::kLists: return chunk_numbers_internal::OfLists(chunk, on_integer, on_real);
  }
}

/// Calls `body(record, n)` with the number in Chunk::strings() of each bytes value of `chunk`.
template <typename Body>
void ForEachString(const Chunk& chunk, Body body) {
  const std::vector<uint32_t>& number = chunk.strings().number;
  if (chunk.form() == Chunk::Form::kBytes) {
    ForEachSet(chunk.present(), [&](uint32_t r) { body(r, number[r]); });
  } else if (chunk.form() == Chunk::Form::kMixed) {
    ForEachSet(chunk.present(), [&](uint32_t r) {
      if (chunk.kind_of(r) == FeatureKind::kBytes) body(r, number[r]);
    });
  } else if (chunk.form() == Chunk::Form::kLists) {
    const Chunk::Lists& lists = chunk.lists();
    uint32_t first = 0;
    for (uint32_t r = 0; r < lists.ends.size(); ++r) {
      const bool bytes = lists.kinds[lists.kinds.size() == 1 ? 0 : r] == FeatureKind::kBytes;
      for (uint32_t i = first; bytes && i < lists.ends[r]; ++i) body(r, number[i]);
      first = lists.ends[r];
    }
  }
}

}  // namespace ofindex
