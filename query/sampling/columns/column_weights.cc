#include "query/sampling/columns/column_weights.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "query/columns/chunk_numbers.h"
#include "query/sampling/columns/column_blocks.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

constexpr size_t kMaxShownBytes = 64;  // bytes of a value in a message

// Formats a value for people.
std::string Shown(const Chunk::Value& value) {
  switch (value.type) {
    case Type::kNull: return "NULL";
    case Type::kInteger: return std::to_string(value.integer);
    case Type::kReal: {
      std::array<char, 32> text;
      const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value.real);
      return error == std::errc() ? std::string(text.data(), end) : "a real";
    }
    case Type::kText:
    case Type::kBlob: break;
  }
  const std::string_view bytes = AsText(value.bytes);
  return StrCat("'", Printable(bytes.substr(0, kMaxShownBytes)), bytes.size() > kMaxShownBytes ? "'..." : "'");
}

Result<void> Refuse(const Column& column, uint64_t record, const Chunk::Value& value) {
  return Fail(ErrorCode::kUsage,
              StrCat("the weight of record ", record, " in column '", Printable(column.name), "' is ", Shown(value),
                     "; expected a number of 0 or more"),
              "use another column, or exclude such records with an expression");
}

// Sets `weights`, which are all 0, to the numbers of a chunk by record; all other values stay 0.
void TakeNumbers(const Chunk& chunk, std::vector<double>& weights) {
  const auto take = [&](auto value_of) {
    ForEachSet(chunk.present(), [&](uint32_t r) {
      const auto value = static_cast<double>(value_of(r));
      weights[r] = std::isnan(value) ? 0 : value;
    });
  };
  switch (chunk.form()) {
    case Chunk::Form::kIntegers:
      std::visit(
          [&](const auto& offsets) {
            const auto base = static_cast<uint64_t>(chunk.integers().base);
            take([&](uint32_t r) { return static_cast<int64_t>(base + offsets[r]); });
          },
          chunk.integers().offsets);
      return;
    case Chunk::Form::kFloats: return take([&](uint32_t r) { return chunk.floats()[r]; });
    case Chunk::Form::kDoubles: return take([&](uint32_t r) { return chunk.doubles()[r]; });
    case Chunk::Form::kMixed:
      return take([&](uint32_t r) {
        const Chunk::Value value = chunk.At(r);
        return value.type == Type::kInteger ? static_cast<double>(value.integer) : value.real;
      });
    default: return;
  }
}

// Returns true if the value of record `r` is a text or a blob, which cannot be a number.
bool IsBytes(const Chunk& chunk, uint32_t r) {
  if (chunk.form() != Chunk::Form::kBytes && chunk.form() != Chunk::Form::kMixed) return false;
  const Type type = chunk.At(r).type;
  return type == Type::kText || type == Type::kBlob;
}

}  // namespace

Result<void> ForEachWeight(ColumnStore& store, const Column& column, uint64_t records, const Counts& counts,
                           const VisitWeights& visit, const std::atomic<bool>* cancel) {
  OFINDEX_TRY(CheckSingle(column, "a weight"));
  std::vector<double> weights;
  return ForEachChunk(store, column, records, cancel,
                      [&](uint64_t first, uint64_t count, const Chunk& chunk) -> Result<void> {
                        weights.assign(chunk.records(), 0);
                        TakeNumbers(chunk, weights);
                        for (uint32_t r = 0; r < count; ++r) {
                          if (weights[r] >= 0 && !std::isinf(weights[r]) && !IsBytes(chunk, r)) continue;
                          if (counts(first + r)) return Refuse(column, first + r, chunk.At(r));
                          weights[r] = 0;
                        }
                        visit(first, std::span<const double>(weights).first(count));
                        return {};
                      });
}

}  // namespace ofindex
