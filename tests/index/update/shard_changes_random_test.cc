#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "index/update/shard_changes.h"
#include "tests/index/update/shards_on_disk.h"

namespace ofindex {
namespace {

// The rules, written for reading: each one looks at every pair of a file and a shard.
class Model {
 public:
  Model(const std::vector<KnownShard>& known, const std::vector<DiskFile>& files) : known_(known), files_(files) {
    for (const DiskFile& file : files) {
      found_.push_back({file.shard.state ? ShardChange::kNew : ShardChange::kUnreadable});
    }
    for (const KnownShard& shard : known) shards_.push_back({shard.gone ? ShardChange::kGone : ShardChange::kMissing});
    Keep();
    Apply(ShardChange::kUnchanged, [&](const DiskFile& file, const KnownShard& shard) {
      return !shard.gone && SamePath(file, shard) && SameState(file, shard);
    });
    Apply(ShardChange::kTouched, [&](const DiskFile& file, const KnownShard& shard) {
      return !shard.gone && SamePath(file, shard) && SameSize(file, shard);
    });
    Keep();
    KeepBelow();
    GrowAtPath();
    Apply(ShardChange::kMoved,
          [&](const DiskFile& file, const KnownShard& shard) { return !shard.gone && SameSize(file, shard); });
    Apply(ShardChange::kRestored, [&](const DiskFile& file, const KnownShard& shard) {
      return shard.gone && SamePath(file, shard) && SameSize(file, shard);
    });
    Apply(ShardChange::kRestored,
          [&](const DiskFile& file, const KnownShard& shard) { return shard.gone && SameSize(file, shard); });
    Apply(ShardChange::kGrown, [&](const DiskFile& file, const KnownShard& shard) {
      return SamePath(file, shard) && IsLonger(file, shard) && IsLastOfItsPath(shard);
    });
    std::multiset<uint64_t> inodes;
    for (size_t i = 0; i < known_.size(); ++i) {
      if (shards_[i].change == ShardChange::kMissing) inodes.insert(known_[i].identity.inode);
    }
    Apply(ShardChange::kGrown, [&](const DiskFile& file, const KnownShard& shard) {
      const uint64_t inode = shard.identity.inode;
      return !shard.gone && !SamePath(file, shard) && IsLonger(file, shard) && file.shard.state->inode == inode &&
             inodes.count(inode) == 1;
    });
    Replace();
    Keep();
  }

  [[nodiscard]] const std::vector<ShardDecision>& found() const { return found_; }
  [[nodiscard]] const std::vector<ShardDecision>& shards() const { return shards_; }
  [[nodiscard]] const std::set<std::string>& reads() const { return reads_; }

 private:
  using MayBe = std::function<bool(const DiskFile&, const KnownShard&)>;

  static bool SamePath(const DiskFile& file, const KnownShard& shard) {
    return file.shard.file.stored_path == shard.path;
  }
  static bool SameState(const DiskFile& file, const KnownShard& shard) { return shard.identity == *file.shard.state; }
  static bool SameSize(const DiskFile& file, const KnownShard& shard) {
    return shard.identity.size == file.bytes.size();
  }
  static bool IsLonger(const DiskFile& file, const KnownShard& shard) {
    return shard.records > 0 && shard.identity.size < file.bytes.size();
  }

  [[nodiscard]] bool IsFree(size_t j) const {
    return shards_[j].change == ShardChange::kMissing || shards_[j].change == ShardChange::kGone;
  }

  [[nodiscard]] bool IsLastOfItsPath(const KnownShard& shard) const {
    return std::none_of(known_.begin(), known_.end(), [&](const KnownShard& other) {
      return other.path == shard.path && &other != &shard && IsBefore(other, shard);
    });
  }

  // Returns true if a file belongs to the first rather than the second, its content being equal.
  static bool IsBefore(const KnownShard& a, const KnownShard& b) {
    if (a.gone != b.gone) return b.gone;
    if (a.gone_since != b.gone_since) return a.gone_since > b.gone_since;
    return NaturalLess(a.path, b.path);
  }

  void Apply(ShardChange change, const MayBe& may_be) {
    for (size_t i = 0; i < files_.size(); ++i) {
      std::vector<size_t> shards;
      for (size_t j = 0; j < known_.size(); ++j) {
        if (IsFree(j) && found_[i].change == ShardChange::kNew && may_be(files_[i], known_[j])) shards.push_back(j);
      }
      std::stable_sort(shards.begin(), shards.end(),
                       [&](size_t a, size_t b) { return IsBefore(known_[a], known_[b]); });
      for (const size_t j : shards) {
        if (found_[i].change == ShardChange::kNew && Holds(i, known_[j])) Pair(i, j, change);
      }
    }
  }

  // Returns true if the file holds, or begins with, the bytes of the shard.
  bool Holds(size_t i, const KnownShard& shard) {
    const DiskFile& file = files_[i];
    const bool whole = SameSize(file, shard);
    const bool trusted = whole && std::any_of(known_.begin(), known_.end(), [&](const KnownShard& other) {
                           return SamePath(file, other) && SameState(file, other);
                         });
    if (!trusted) reads_.insert(StrCat(file.shard.file.stored_path, ":", shard.identity.size));
    if (!trusted && file.broken) found_[i] = {ShardChange::kUnreadable};
    return (trusted || !file.broken) && HashOf(file.bytes.substr(0, shard.identity.size)) == shard.identity.fingerprint;
  }

  void Pair(size_t i, size_t j, ShardChange change) {
    found_[i] = {change, j};
    shards_[j] = {change, i};
  }

  void ForEachAtPath(const std::function<void(size_t, size_t)>& body) {
    for (size_t i = 0; i < files_.size(); ++i) {
      for (size_t j = 0; j < known_.size(); ++j) {
        if (shards_[j].change == ShardChange::kMissing && SamePath(files_[i], known_[j])) body(i, j);
      }
    }
  }

  void Keep() {
    ForEachAtPath([&](size_t i, size_t j) {
      if (found_[i].change == ShardChange::kUnreadable) Pair(i, j, ShardChange::kUnreadable);
    });
  }

  void KeepBelow() {
    std::set<size_t> with_file;
    ForEachAtPath([&](size_t, size_t j) { with_file.insert(j); });
    for (size_t j = 0; j < known_.size(); ++j) {
      for (size_t i = 0; i < files_.size(); ++i) {
        const bool below = known_[j].path.starts_with(files_[i].shard.file.stored_path + "/");
        if (below && !files_[i].shard.state && shards_[j].change == ShardChange::kMissing && !with_file.contains(j)) {
          shards_[j] = {ShardChange::kUnreadable, i};
        }
      }
    }
  }

  void GrowAtPath() {
    const auto left = [&] {
      return std::count_if(found_.begin(), found_.end(),
                           [](const auto& each) { return each.change == ShardChange::kNew; });
    };
    for (ptrdiff_t before = -1; before != left();) {
      before = left();
      GrowSomeAtPath();
    }
  }

  void GrowSomeAtPath() {
    ForEachAtPath([&](size_t i, size_t j) {
      if (found_[i].change != ShardChange::kNew || !IsLonger(files_[i], known_[j]) || known_[j].broken) return;
      bool is_another = false;
      for (size_t k = 0; k < known_.size(); ++k) {
        is_another = is_another || (IsFree(k) && SameSize(files_[i], known_[k]) && Holds(i, known_[k]));
      }
      if (found_[i].change != ShardChange::kNew || is_another) return;
      if (Holds(i, known_[j])) Pair(i, j, ShardChange::kGrown);
    });
  }

  void Replace() {
    ForEachAtPath([&](size_t i, size_t j) {
      if (found_[i].change != ShardChange::kNew) return;
      Pair(i, j, known_[j].records == 0 ? ShardChange::kRefilled : ShardChange::kChanged);
    });
  }

  const std::vector<KnownShard>& known_;
  const std::vector<DiskFile>& files_;
  std::vector<ShardDecision> found_;
  std::vector<ShardDecision> shards_;
  std::set<std::string> reads_;
};

class RandomDisk {
 public:
  explicit RandomDisk(uint64_t seed) : random_(seed) {}

  std::vector<KnownShard> Known() {
    std::vector<KnownShard> known;
    for (const std::string& path : kPaths) {
      if (Once(2)) known.push_back(Once(8) ? Lost(path, Bytes()) : Live(path, Bytes()));
      for (uint64_t since = 2; since < 6; ++since) {
        if (Once(8)) known.push_back(Gone(path, Bytes(), since));
      }
    }
    for (KnownShard& shard : known) {
      if (Once(4)) shard.identity.inode = HashOf(Path());
      shard.broken = Once(6);
    }
    std::shuffle(known.begin(), known.end(), random_);
    return known;
  }

  std::vector<DiskFile> Files() {
    std::vector<DiskFile> files;
    for (const std::string& path : kPaths) {
      if (Once(3)) continue;
      DiskFile file = OnDisk(path, Bytes());
      if (Once(4)) file = WithInodeOf(Path(), file);
      if (Once(4)) file = Touched(file);
      if (Once(8)) file = Broken(file);
      files.push_back(Once(16) ? Hidden(path) : file);
    }
    return files;
  }

 private:
  // In natural order; one is also a folder, as it may have been later or earlier.
  inline static const std::vector<std::string> kPaths = {"a", "a/b", "a/c", "b9", "b10", "c"};

  bool Once(uint64_t in) { return random_() % in == 0; }
  const std::string& Path() { return kPaths[random_() % kPaths.size()]; }
  std::string Bytes() { return std::string("xxxx").substr(0, random_() % 5) + (Once(3) ? "y" : ""); }

  std::mt19937_64 random_;
};

TEST_CASE("random changes are told apart as by the rules, one pair after the other, and with the same reads") {
  std::set<ShardChange> seen;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    RandomDisk random(seed);
    const std::vector<KnownShard> known = random.Known();
    Disk disk{.files = random.Files()};
    const auto changes = disk.Compare(known);
    REQUIRE(changes.has_value());
    const Model model(known, disk.files);
    REQUIRE(changes->found == model.found());
    REQUIRE(changes->known == model.shards());
    const std::set<std::string> reads(disk.reads.begin(), disk.reads.end());
    REQUIRE(reads.size() == disk.reads.size());
    REQUIRE(reads == model.reads());
    for (const ShardDecision& decision : changes->known) seen.insert(decision.change);
  }
  CHECK(seen.size() == 10);  // all but kNew
}

}  // namespace
}  // namespace ofindex
