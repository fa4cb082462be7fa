#include "index/verify/shard_coverage.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/catalog/shard_files.h"

namespace ofindex {
namespace {

// Goes through the bytes of all shards, in order.
class Coverage {
 public:
  Coverage(const std::vector<ShardRow>& shards, std::vector<DamageRow> damage)
      : shards_(shards), damage_(std::move(damage)) {
    std::sort(damage_.begin(), damage_.end(), [](const DamageRow& a, const DamageRow& b) {
      return std::pair(a.shard, a.range.begin) < std::pair(b.shard, b.range.begin);
    });
  }

  // Blocks come by shard, and then by their place in it. Blocks of shards that do not exist are for others to find.
  Result<void> Add(const BlockRow& block) {
    OFINDEX_TRY(FinishUpTo(block.shard));
    if (block.shard != shard_) return {};
    PassDamage();
    if (block.begin > covered_) return Hole();
    covered_ = std::max(covered_, block.end);
    return {};
  }

  // Ends the shards before `shard`.
  Result<void> FinishUpTo(uint64_t shard) {
    for (; shard_ < shards_.size() && shard_ < shard; ++shard_) {
      PassDamage();
      if (covered_ < shards_[shard_].readable_bytes()) return Hole();
      covered_ = 0;
    }
    return {};
  }

 private:
  void PassDamage() {
    for (; next_ < damage_.size() && damage_[next_].shard <= shard_; ++next_) {
      const DamagedRange& range = damage_[next_].range;
      if (damage_[next_].shard < shard_) continue;
      if (range.begin > covered_) return;
      covered_ = std::max(covered_, range.end);
    }
  }

  [[nodiscard]] tl::unexpected<Error> Hole() const {
    return Fail(ErrorCode::kIndex,
                StrCat(Printable(shards_[shard_].path), "@", covered_,
                       ": the index is false: it has neither a record nor damage here"),
                "rebuild the index with `ofindex build --force`");
  }

  const std::vector<ShardRow>& shards_;
  std::vector<DamageRow> damage_;
  size_t next_ = 0;  // of damage_
  uint64_t shard_ = 0;
  uint64_t covered_ = 0;  // bytes of the shard, from its beginning
};

}  // namespace

Result<void> CheckCoverage(CatalogReader& catalog) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, catalog.Pieces());
  OFINDEX_ASSIGN(std::vector<DamageRow> damage, catalog.Damage());
  const ShardFiles files(pieces);
  Coverage coverage(files.rows, std::move(damage));
  OFINDEX_TRY(catalog.ForEachBlockByShard([&](const BlockRow& block) { return coverage.Add(block); }));
  return coverage.FinishUpTo(files.rows.size());
}

}  // namespace ofindex
