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
  const ChosenRecords& chosen;
  std::optional<Column> column;
  EntrySorter& sorter;
  Progress& progress;
  RecordFacts facts;  // guarded by ShareWork()
};

// Collects the hashes of blocks on one thread.
class HashWorker {
 public:
  explicit HashWorker(HashedSet& set) : set_(set) { entries_.reserve(EntrySorter::kRunEntries); }

  Result<void> Do(size_t number) {
    const BlockMetadata& block = set_.chosen.store().blocks()[number];
    set_.chosen.Choose(block.first_record, block.first_record + block.records, ordinals_, facts_);
    if (ordinals_.empty()) return {};
    std::shared_ptr<const Chunk> chunk;
    if (set_.column) {
      OFINDEX_ASSIGN(chunk, set_.chosen.store().Load(*set_.column, number));
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
    set_.facts.Add(facts_);
    return set_.sorter.Take(entries_);
  }

 private:
  [[nodiscard]] bool IsFirstOfShard(size_t number) const {
    const std::vector<BlockMetadata>& blocks = set_.chosen.store().blocks();
    return number == 0 || !set_.chosen.has_all() || blocks[number - 1].shard != blocks[number].shard;
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
  RecordFacts facts_;
  std::vector<uint64_t> ordinals_;
  std::vector<KeyEntry> entries_;
  ComparedBytes::Room room_;
};

}  // namespace

Result<RecordFacts> CollectHashes(const HashRequest& request, const ComparedBytes& bytes, EntrySorter& sorter,
                                  Progress& progress) {
  OFINDEX_ASSIGN(const ChosenRecords chosen, ChosenRecords::Of(*request.dataset, request.rows));
  HashedSet set{.request = request,
                .bytes = bytes,
                .chosen = chosen,
                .column = StoredHashes(chosen.store(), bytes.feature()),
                .sorter = sorter,
                .progress = progress,
                .facts = {}};
  OFINDEX_TRY(ShareWork(chosen.store().blocks().size(), request.threads, progress, "the hashes of records",
                        [&] { return HashWorker(set); }));
  return set.facts;
}

}  // namespace ofindex
