#include "python/src/columns/column_gather.h"

#include <algorithm>
#include <bit>

#include "base/text.h"

namespace ofindex::python {
namespace {

// Returns the type for values of these kinds; bytes are kText if `text` is true.
Result<ValueType> TypeOfKinds(uint8_t kinds, bool text, const std::string& column) {
  const bool bytes = (kinds & kBytesKind) != 0;
  if (bytes && (kinds & (kIntegerKinds | kRealKinds)) != 0) {
    return Fail(ErrorCode::kUsage, StrCat("column '", Printable(column), "' holds both numbers and bytes"),
                "ask for them in SQL, with CAST(... AS TEXT)");
  }
  if (bytes) return text ? ValueType::kText : ValueType::kBinary;
  if ((kinds & kRealKinds) == BitOf(FeatureKind::kFloat) && (kinds & kIntegerKinds) == 0) return ValueType::kFloat32;
  return (kinds & kRealKinds) != 0 ? ValueType::kFloat64 : ValueType::kInt64;
}

// Adds the elements of one list. Returns false if the column has reals and an element is an integer that no double
// represents.
[[nodiscard]] bool AddList(const Chunk& chunk, uint32_t record, ArrowColumn& out) {
  const Chunk::Lists& lists = chunk.lists();
  const uint32_t end = lists.ends[record];
  const FeatureKind kind = lists.kinds[lists.kinds.size() == 1 ? 0 : record];
  for (uint32_t i = record == 0 ? 0 : lists.ends[record - 1]; i < end; ++i) {
    const uint64_t bits = kind == FeatureKind::kBytes ? 0 : lists.numbers[i];
    switch (kind) {
      case FeatureKind::kBytes: out.AddBytes(chunk.strings()[chunk.strings().number[i]]); break;
      case FeatureKind::kFloat: out.AddReal(std::bit_cast<float>(static_cast<uint32_t>(bits))); break;
      case FeatureKind::kDouble: out.AddReal(std::bit_cast<double>(bits)); break;
      default:
        if (out.type() == ValueType::kInt64) {
          out.AddInteger(static_cast<int64_t>(bits));
        } else if (!FitsDouble(static_cast<int64_t>(bits))) {
          return false;
        } else {
          out.AddReal(static_cast<double>(static_cast<int64_t>(bits)));
        }
    }
  }
  return true;
}

bool AddToList(const Chunk& chunk, uint32_t record, ArrowColumn& out) {
  if (chunk.form() == Chunk::Form::kEmpty) return out.EndList(false), true;
  const bool present = (chunk.present()[record / 64] >> (record % 64) & 1) != 0;
  if (present && chunk.form() == Chunk::Form::kLists) {
    if (!AddList(chunk, record, out.items())) return false;
  } else if (present && !out.items().Add(chunk.At(record))) {
    return false;
  }
  out.EndList(present);
  return true;
}

// Returns why `record` could not be added to `out`.
tl::unexpected<Error> Refused(const Column& column, uint64_t ordinal, const Chunk& chunk, uint32_t record,
                              const ArrowColumn& out) {
  const std::string place = StrCat("column '", Printable(column.name), "', record ", ordinal);
  const ValueType type = out.type() == ValueType::kList ? out.items().type() : out.type();
  const bool real = type == ValueType::kFloat64 || type == ValueType::kFloat32;
  if (real && (chunk.form() == Chunk::Form::kLists || chunk.At(record).type == ColumnValue::Type::kInteger)) {
    return Fail(ErrorCode::kUsage, StrCat(place, ": an integer beyond 2**53, in a column that holds reals too"),
                "ask for it in SQL, with CAST(... AS TEXT)");
  }
  return Fail(ErrorCode::kIndex, StrCat(place, ": a value of another type than the index says"));
}

}  // namespace

Result<ArrowField> FieldOf(const ColumnStore& store, const Column& column) {
  ArrowField field{.name = column.name};
  if (column.origin == Column::Origin::kShard) {
    field.type = ValueType::kText;
    return field;
  }
  if (column.origin != Column::Origin::kFeature || !HoldsValues(column.role)) {
    const bool text = column.origin == Column::Origin::kFeature && column.role == ColumnRole::kFormat;
    field.type = text ? ValueType::kText : ValueType::kInt64;
    return field;
  }
  const FeatureRow& feature = store.features()[column.feature];
  // The catalog does not say whether lists stored as JSON hold text, so bytes of lists are bytes.
  const bool text = !column.is_list() && feature.type == "TEXT";
  OFINDEX_ASSIGN(const ValueType type, TypeOfKinds(store.kinds(column), text, column.name));
  if (column.is_list()) {
    field.type = ValueType::kList;
    field.item = type;
  } else {
    field.type = type;
  }
  return field;
}

Result<void> Gather(ColumnStore& store, const Column& column, std::span<const uint64_t> ordinals, ArrowColumn& out) {
  const std::vector<BlockMetadata>& blocks = store.blocks();
  std::shared_ptr<const Chunk> chunk;
  uint64_t begin = 0;
  uint64_t end = 0;  // of the block of `chunk`
  const ValueType type = out.type();
  for (const uint64_t ordinal : ordinals) {
    if (ordinal < begin || ordinal >= end) {
      const std::optional<uint64_t> block = store.BlockOf(ordinal);
      if (!block) return Fail(ErrorCode::kOutOfRange, StrCat("record ", ordinal, " is not in the dataset"));
      begin = blocks[*block].first_record;
      end = begin + blocks[*block].records;
      OFINDEX_ASSIGN(chunk, store.Load(column, *block));
    }
    const auto record = static_cast<uint32_t>(ordinal - begin);
    const bool added = out.type() == ValueType::kList ? AddToList(*chunk, record, out) : out.Add(chunk->At(record));
    if (!added || out.type() != type) return Refused(column, ordinal, *chunk, record, out);
  }
  return {};
}

}  // namespace ofindex::python
