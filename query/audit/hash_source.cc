#include "query/audit/hash_source.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "query/audit/shared_work.h"
#include "query/columns/column_store.h"

namespace ofindex {
namespace {

constexpr size_t kHashedAtOnce = 64;

// Returns the column of the index that has the hashes; nullopt if there is none.
std::optional<Column> StoredHashes(const ColumnStore& store, const std::string& feature) {
  const auto is_hash = [&](const Column& column) {
    if (feature.empty()) return column.origin == Column::Origin::kHash && store.has_hashes();
    if (column.origin != Column::Origin::kFeature || column.role != ColumnRole::kHash) return false;
    const FeatureRow& row = store.features()[column.feature];
    return row.name == feature && row.origin.empty();
  };
  const auto found = std::find_if(store.columns().begin(), store.columns().end(), is_hash);
  return found == store.columns().end() ? std::nullopt : std::optional(*found);
}

// What the threads share.
struct HashedSet {
  const HashRequest& request;
  const ComparedBytes& bytes;
  ColumnStore& store;
  std::optional<Column> column;
  std::vector<uint64_t> bad;  // ascending
  EntrySorter& sorter;
  Progress& progress;
  HashFacts facts;  // guarded by ShareWork()
};

// Collects the hashes of blocks on one thread.
class HashWorker {
 public:
  explicit HashWorker(HashedSet& set) : set_(set) { entries_.reserve(EntrySorter::kRunEntries); }

  Result<void> Do(size_t number) {
    const BlockMetadata& block = set_.store.blocks()[number];
    Choose(block);
    if (ordinals_.empty()) return {};
    std::shared_ptr<const Chunk> chunk;
    if (set_.column) {
      OFINDEX_ASSIGN(chunk, set_.store.Load(*set_.column, number));
    }
    // Payloads always have a hash: a block without any was written without them.
    const bool stored = chunk != nullptr && (!set_.bytes.feature().empty() || chunk->form() != Chunk::Form::kEmpty);
    if (stored) {
      if (set_.request.check_shards && IsFirstOfShard(number)) {
        OFINDEX_TRY(set_.bytes.CheckShardOf(ordinals_.front(), room_));
      }
      OFINDEX_TRY(AddStored(*chunk, block.first_record));
    } else {
      OFINDEX_TRY(AddRead());
    }
    set_.progress.records_done.fetch_add(ordinals_.size(), std::memory_order_relaxed);
    return {};
  }

  Result<void> Finish() {
    set_.facts.records += facts_.records;
    set_.facts.bad += facts_.bad;
    set_.facts.without += facts_.without;
    set_.facts.read += facts_.read;
    return set_.sorter.Take(entries_);
  }

 private:
  // Sets `ordinals_` to the records of a block that are compared.
  void Choose(const BlockMetadata& block) {
    ordinals_.clear();
    const uint64_t end = block.first_record + block.records;
    if (set_.request.rows != nullptr) {
      const View part = set_.request.rows->Between(block.first_record, end);
      for (uint64_t i = 0; i < part.size(); ++i) ordinals_.push_back(i);
      part.Map(ordinals_);
    } else {
      for (uint64_t ordinal = block.first_record; ordinal < end; ++ordinal) ordinals_.push_back(ordinal);
    }
    facts_.records += ordinals_.size();
    const auto first = std::lower_bound(set_.bad.begin(), set_.bad.end(), block.first_record);
    if (first == set_.bad.end() || *first >= end) return;
    facts_.bad +=
        std::erase_if(ordinals_, [&](uint64_t ordinal) { return std::binary_search(first, set_.bad.end(), ordinal); });
  }

  [[nodiscard]] bool IsFirstOfShard(size_t number) const {
    const std::vector<BlockMetadata>& blocks = set_.store.blocks();
    return number == 0 || set_.request.rows != nullptr || blocks[number - 1].shard != blocks[number].shard;
  }

  Result<void> Add(uint64_t ordinal, std::optional<uint64_t> hash) {
    if (!hash) {
      ++facts_.without;
      return {};
    }
    entries_.push_back({*hash, set_.request.first_number + ordinal});
    if (entries_.size() < EntrySorter::kRunEntries) return {};
    OFINDEX_TRY(set_.sorter.Take(entries_));
    entries_.reserve(EntrySorter::kRunEntries);
    return {};
  }

  Result<void> AddStored(const Chunk& chunk, uint64_t first) {
    for (const uint64_t ordinal : ordinals_) {
      const Chunk::Value value = chunk.At(static_cast<uint32_t>(ordinal - first));
      const bool is_hash = value.type == ColumnValue::Type::kInteger;
      OFINDEX_TRY(Add(ordinal, is_hash ? std::optional(static_cast<uint64_t>(value.integer)) : std::nullopt));
    }
    return {};
  }

  Result<void> AddRead() {
    std::array<std::optional<uint64_t>, kHashedAtOnce> hashes;
    for (size_t i = 0; i < ordinals_.size(); i += kHashedAtOnce) {
      if (set_.progress.cancel) return Interrupted();
      const std::span<const uint64_t> some =
          std::span(ordinals_).subspan(i, std::min(kHashedAtOnce, ordinals_.size() - i));
      OFINDEX_TRY(set_.bytes.Hash(some, room_, std::span(hashes).first(some.size())));
      for (size_t k = 0; k < some.size(); ++k) OFINDEX_TRY(Add(some[k], hashes[k]));
    }
    facts_.read += ordinals_.size();
    return {};
  }

  HashedSet& set_;
  HashFacts facts_;
  std::vector<uint64_t> ordinals_;
  std::vector<KeyEntry> entries_;
  ComparedBytes::Room room_;
};

}  // namespace

Result<HashFacts> CollectHashes(const HashRequest& request, const ComparedBytes& bytes, EntrySorter& sorter,
                                Progress& progress) {
  const Snapshot& snapshot = *request.dataset->snapshot();
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot.Columns());
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, catalog->Bad());
  HashedSet set{.request = request,
                .bytes = bytes,
                .store = *store,
                .column = StoredHashes(*store, bytes.feature()),
                .bad = {},
                .sorter = sorter,
                .progress = progress,
                .facts = {}};
  for (const BadRow& row : bad) set.bad.push_back(row.record);
  std::sort(set.bad.begin(), set.bad.end());
  OFINDEX_TRY(ShareWork(store->blocks().size(), request.threads, progress, "the hashes of records",
                        [&] { return HashWorker(set); }));
  return set.facts;
}

}  // namespace ofindex
