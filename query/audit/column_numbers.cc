#include "query/audit/column_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "query/columns/find_column.h"
#include "query/columns/list_json.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

// Returns the value of a record as in SQL.
ColumnValue ValueIn(const Chunk& chunk, uint32_t record, bool is_list) {
  if (!is_list) return Owned(chunk.At(record));
  ColumnValue value;
  if ((chunk.present()[record / 64] >> (record % 64) & 1) == 0) return value;
  value.type = ColumnValue::Type::kText;
  AppendListJson(chunk, record, value.bytes);
  return value;
}

// Returns a text that is the same for equal values, and for these alone.
std::string IdentityOf(const ColumnValue& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return {};
    case ColumnValue::Type::kInteger: return StrCat("i", value.integer);
    case ColumnValue::Type::kReal: {
      const bool is_integer = std::abs(value.real) < 0x1p63 && value.real == std::trunc(value.real);
      return is_integer ? StrCat("i", static_cast<int64_t>(value.real))
                        : StrCat("r", ToHex(std::bit_cast<uint64_t>(value.real)));
    }
    case ColumnValue::Type::kText: return StrCat("t", value.bytes);
    case ColumnValue::Type::kBlob: return StrCat("b", value.bytes);
  }
  return {};
}

}  // namespace

Result<NamedColumns> NamedColumns::Open(const std::string& name, std::span<const Dataset* const> datasets) {
  NamedColumns named;
  for (const Dataset* dataset : datasets) {
    InDataset& in = named.columns_.emplace_back();
    OFINDEX_ASSIGN(in.store, dataset->snapshot()->Columns());
    Result<Column> column = FindValueColumn(*in.store, name);
    if (!column) {
      column.error().message = StrCat(Printable(dataset->index_path()), ": ", column.error().message);
      return tl::unexpected(column.error());
    }
    in.column = std::move(*column);
  }
  return named;
}

Result<ColumnNumbers> NamedColumns::NumbersOf(const RecordNumbers& numbers, std::span<const uint64_t> records,
                                              const Progress& progress) const {
  std::vector<uint64_t> order(records.size());  // so that each block is loaded once
  std::iota(order.begin(), order.end(), uint64_t{0});
  std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return records[a] < records[b]; });

  ColumnNumbers found;
  found.numbers.resize(records.size());
  std::unordered_map<std::string, uint32_t> known;
  std::shared_ptr<const Chunk> chunk;
  uint64_t begin = 0;
  uint64_t end = 0;  // of the numbers of the records in `chunk`
  for (const uint64_t at : order) {
    const uint64_t record = records[at];
    const RecordNumbers::Place place = numbers.At(record);
    const InDataset& named = columns_[place.set];
    if (record >= end || chunk == nullptr) {
      if (progress.cancel) return Interrupted();
      const std::optional<uint64_t> block = named.store->BlockOf(place.ordinal);
      if (!block) continue;
      OFINDEX_ASSIGN(chunk, named.store->Load(named.column, *block));
      begin = record - place.ordinal + named.store->blocks()[*block].first_record;
      end = begin + chunk->records();
    }
    ColumnValue value = ValueIn(*chunk, static_cast<uint32_t>(record - begin), named.column.is_list());
    if (value.type == ColumnValue::Type::kNull) continue;
    const auto [entry, is_new] = known.try_emplace(IdentityOf(value), static_cast<uint32_t>(known.size() + 1));
    if (is_new) found.values.push_back(std::move(value));
    found.numbers[at] = entry->second;
  }
  return found;
}

}  // namespace ofindex
