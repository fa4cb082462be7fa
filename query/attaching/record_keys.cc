#include "query/attaching/record_keys.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "proto/features.h"
#include "query/columns/find_column.h"

namespace ofindex {
namespace {

Result<KeyChunks> KeysInColumn(ColumnStore& store, const Column& column, const Progress& progress) {
  KeyChunks keys;
  keys.reserve(store.blocks().size());
  for (uint64_t block = 0; block < store.blocks().size(); ++block) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(keys.emplace_back(), store.Load(column, block));
  }
  return keys;
}

/// Reads one feature of all records.
class FeatureKeys {
 public:
  FeatureKeys(const std::string& feature, const RecordReader& reader, const ColumnStore& store)
      : feature_(feature), reader_(reader), store_(store) {}

  Result<KeyChunks> Read(const Progress& progress) {
    KeyChunks keys;
    keys.reserve(store_.blocks().size());
    for (const BlockMetadata& block : store_.blocks()) {
      OFINDEX_ASSIGN(keys.emplace_back(), ReadBlock(block, progress));
    }
    return keys;
  }

 private:
  Result<std::shared_ptr<const Chunk>> ReadBlock(const BlockMetadata& block, const Progress& progress) {
    const PayloadKind kind = store_.shards()[block.shard].payload;
    for (uint32_t r = 0; r < block.records && kind != PayloadKind::kOpaque; ++r) {
      if (progress.cancel) return Interrupted();
      Result<void> decoded = reader_.Copy(block.first_record + r, payload_);
      if (decoded) decoded = record_.Decode(payload_, kind);
      if (decoded) {
        AddKey(r);
      } else if (decoded.error().code != ErrorCode::kDamage) {
        return tl::unexpected(decoded.error());
      }
    }
    if (builder_.too_large()) {
      return Fail(ErrorCode::kLimit, StrCat("the keys of the records from ", block.first_record, " on exceed 512 MiB"),
                  "use a key with shorter values");
    }
    OFINDEX_ASSIGN(Chunk chunk, Chunk::Decode(builder_.Encode(block.records).data, block.records));
    return std::make_shared<const Chunk>(std::move(chunk));
  }

  void AddKey(uint32_t r) {
    const Feature* const feature = record_.Find(AsBytes(feature_));
    if (feature == nullptr || feature->value.count != 1) return;
    const FeatureKind kind = feature->value.kind;
    if (kind == FeatureKind::kBytes) builder_.AddBytes(r, record_.bytes(feature->value).front());
    if ((BitOf(kind) & kIntegerKinds) != 0) {
      builder_.AddInteger(r, record_.integers(feature->value).front(), FeatureKind::kInt64);
    }
  }

  const std::string& feature_;
  const RecordReader& reader_;
  const ColumnStore& store_;
  std::vector<uint8_t> payload_;
  DecodedRecord record_;
  ChunkBuilder builder_;
};

// Returns the feature whose values no column has; null if there is none of this name.
const FeatureRow* FeatureWithoutColumn(const ColumnStore& store, const std::string& name) {
  const auto found = std::find_if(store.features().begin(), store.features().end(), [&](const FeatureRow& row) {
    return row.name == name && row.present != 0 && row.origin.empty() && (row.sql_value.empty() || row.whole);
  });
  return found == store.features().end() ? nullptr : &*found;
}

tl::unexpected<Error> NoKeys(const std::string& name, const char* values) {
  return Fail(ErrorCode::kUsage, StrCat("key '", Printable(name), "': its values are ", values),
              "use a column or feature of bytes or integers, or _id for the ordinals of records");
}

}  // namespace

Result<std::unique_ptr<RecordLookup>> LookupBy(const std::string& key, const Dataset& dataset, ColumnStore& store,
                                               const Progress& progress) {
  if (key == "_id") return LookupByOrdinal(store);
  const FeatureRow* const feature = FeatureWithoutColumn(store, key);
  if (feature != nullptr) {
    if ((feature->kinds & (kBytesKind | kIntegerKinds)) == 0) return NoKeys(key, "reals");
    OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
    if (!catalog->facts().message.empty()) {
      return Fail(ErrorCode::kUsage,
                  StrCat("key '", Printable(key), "': no column has its values, and only a build reads messages of ",
                         Printable(catalog->facts().message)),
                  "store the values with `ofindex build DATA --force --columns auto,NAME`");
    }
    OFINDEX_ASSIGN(KeyChunks keys, FeatureKeys(key, dataset.reader(), store).Read(progress));
    return LookupByKey(std::move(keys), progress);
  }
  OFINDEX_ASSIGN(const Column column, FindColumn(store, key));
  if (column.is_list()) return NoKeys(key, "lists");
  if ((store.kinds(column) & (kBytesKind | kIntegerKinds)) == 0) return NoKeys(key, "reals");
  OFINDEX_ASSIGN(KeyChunks keys, KeysInColumn(store, column, progress));
  return LookupByKey(std::move(keys), progress);
}

}  // namespace ofindex
