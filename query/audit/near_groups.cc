#include "query/audit/near_groups.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "query/audit/shared_work.h"

namespace ofindex {
namespace {

// The parts of a hash. If two differ in fewer than 8 bits, one of the parts is the same; in fewer than 16, it differs
// in at most one bit; and so on.
constexpr size_t kBands = 8;
constexpr unsigned kBandBits = SimilarityHash::kBits / kBands;
constexpr size_t kBuckets = size_t{1} << kBandBits;
constexpr size_t kBucketsAtOnce = 64;

using Node = uint32_t;  // the place of a hash among the different ones
constexpr uint8_t kNoNeighbor = std::numeric_limits<uint8_t>::max();

// The sets of nodes that are connected, and the distance of each node to its nearest neighbor.
class Components {
 public:
  explicit Components(size_t nodes) : parents_(nodes), nearest_(nodes, kNoNeighbor) {
    std::iota(parents_.begin(), parents_.end(), Node{0});
  }

  void Connect(Node a, Node b, unsigned distance) {
    nearest_[a] = std::min(nearest_[a], static_cast<uint8_t>(distance));
    nearest_[b] = std::min(nearest_[b], static_cast<uint8_t>(distance));
    Unite(a, b);
  }

  // Returns the least node of the set.
  Node Find(Node node) {
    while (parents_[node] != node) {
      parents_[node] = parents_[parents_[node]];
      node = parents_[node];
    }
    return node;
  }

  void Merge(Components& other) {
    for (Node node = 0; node < parents_.size(); ++node) {
      nearest_[node] = std::min(nearest_[node], other.nearest_[node]);
      if (other.parents_[node] != node) Unite(node, other.parents_[node]);
    }
  }

  [[nodiscard]] uint8_t nearest(Node node) const { return nearest_[node]; }

 private:
  void Unite(Node a, Node b) {
    a = Find(a);
    b = Find(b);
    if (a != b) parents_[std::max(a, b)] = std::min(a, b);
  }

  std::vector<Node> parents_;
  std::vector<uint8_t> nearest_;
};

// The hashes in the order of one band.
struct Band {
  std::vector<SimilarityHash> hashes;
  std::vector<Node> nodes;     // of each of them
  std::vector<size_t> begins;  // of each bucket, and their end

  [[nodiscard]] size_t SizeOf(size_t bucket) const { return begins[bucket + 1] - begins[bucket]; }
};

size_t BucketOf(const SimilarityHash& hash, size_t band) {
  const size_t at = band * kBandBits;
  return (hash.words[at / 64] >> at % 64) & (kBuckets - 1);
}

void Arrange(std::span<const SimilarityHash> hashes, size_t number, Band& band) {
  band.begins.assign(kBuckets + 1, 0);
  for (const SimilarityHash& hash : hashes) ++band.begins[BucketOf(hash, number) + 1];
  std::partial_sum(band.begins.begin(), band.begins.end(), band.begins.begin());
  band.hashes.resize(hashes.size());
  band.nodes.resize(hashes.size());
  std::vector<size_t> next = band.begins;
  for (Node node = 0; node < hashes.size(); ++node) {
    const size_t to = next[BucketOf(hashes[node], number)]++;
    band.hashes[to] = hashes[node];
    band.nodes[to] = node;
  }
}

struct Neighbor {
  uint32_t place = 0;  // among those that were compared
  unsigned distance = 0;
};

// Sets `found` to those of `others` that are at most `distance` from `one`.
[[gnu::always_inline]] inline void Compare(const SimilarityHash& one, std::span<const SimilarityHash> others,
                                           unsigned distance, std::vector<Neighbor>& found) {
  found.clear();
  for (size_t i = 0; i < others.size(); ++i) {
    const unsigned own = one.DistanceTo(others[i]);
    if (own <= distance) found.push_back({static_cast<uint32_t>(i), own});
  }
}

void ComparePortably(const SimilarityHash& one, std::span<const SimilarityHash> others, unsigned distance,
                     std::vector<Neighbor>& found) {
  Compare(one, others, distance, found);
}

#if defined(__x86_64__)
// Four times as fast: every such processor since 2008 counts bits in one instruction.
[[gnu::target("popcnt")]] void CompareByInstruction(const SimilarityHash& one, std::span<const SimilarityHash> others,
                                                    unsigned distance, std::vector<Neighbor>& found) {
  Compare(one, others, distance, found);
}

const auto kCompare = __builtin_cpu_supports("popcnt") != 0 ? &CompareByInstruction : &ComparePortably;
#else
const auto kCompare = &ComparePortably;
#endif

// Returns by which bits the buckets of a pair may differ in some band, if their hashes differ in `distance` bits.
std::vector<size_t> DifferencesOfBuckets(unsigned distance) {
  std::vector<size_t> differences;
  for (size_t bits = 0; bits < kBuckets; ++bits) {
    if (static_cast<size_t>(std::popcount(bits)) <= distance / kBands) differences.push_back(bits);
  }
  return differences;
}

// Connects the nodes of some buckets on one thread.
class BandWorker {
 public:
  BandWorker(const Band& band, std::span<const size_t> differences, unsigned distance, const Progress& progress,
             Components& all)
      : band_(band),
        differences_(differences),
        distance_(distance),
        progress_(progress),
        all_(all),
        own_(band.nodes.size()) {}

  Result<void> Do(size_t piece) {
    for (size_t bucket = piece * kBucketsAtOnce; bucket < (piece + 1) * kBucketsAtOnce; ++bucket) {
      if (band_.SizeOf(bucket) == 0) continue;
      for (const size_t difference : differences_) {
        const size_t other = bucket ^ difference;
        if (other >= bucket) OFINDEX_TRY(Connect(bucket, other));
      }
    }
    return {};
  }

  Result<void> Finish() {
    all_.Merge(own_);
    return {};
  }

 private:
  Result<void> Connect(size_t bucket, size_t other) {
    if (band_.SizeOf(other) == 0) return {};
    for (size_t at = band_.begins[bucket]; at < band_.begins[bucket + 1]; ++at) {
      OFINDEX_TRY(ConnectOne(at, bucket == other ? at + 1 : band_.begins[other], band_.begins[other + 1]));
    }
    return {};
  }

  // Connects the hash at `at` with those of `begin` to less than `end` that are near.
  Result<void> ConnectOne(size_t at, size_t begin, size_t end) {
    if (progress_.cancel) return Interrupted();
    kCompare(band_.hashes[at], std::span(band_.hashes).subspan(begin, end - begin), distance_, found_);
    for (const Neighbor& neighbor : found_) {
      own_.Connect(band_.nodes[at], band_.nodes[begin + neighbor.place], neighbor.distance);
    }
    return {};
  }

  const Band& band_;
  std::span<const size_t> differences_;
  const unsigned distance_;
  const Progress& progress_;
  Components& all_;
  Components own_;
  std::vector<Neighbor> found_;
};

Result<Components> ConnectAll(std::span<const SimilarityHash> hashes, unsigned distance, unsigned threads,
                              const Progress& progress) {
  const std::vector<size_t> differences = DifferencesOfBuckets(distance);
  Components components(hashes.size());
  Band band;
  for (size_t number = 0; number < kBands; ++number) {
    Arrange(hashes, number, band);
    OFINDEX_TRY(ShareWork(kBuckets / kBucketsAtOnce, threads, progress, "the groups of images",
                          [&] { return BandWorker(band, differences, distance, progress, components); }));
  }
  return components;
}

// A record, its node, and the first record of its group.
struct Member {
  uint64_t first = 0;
  uint64_t record = 0;
  Node node = 0;

  auto operator<=>(const Member&) const = default;
};

// Returns the records in groups of at least two, by group and record. `nodes` are those of the sorted entries.
std::vector<Member> MembersOf(std::span<const SimilarityEntry> entries, std::span<const Node> nodes,
                              Components& components) {
  std::vector<uint64_t> firsts(nodes.empty() ? 0 : size_t{nodes.back()} + 1, std::numeric_limits<uint64_t>::max());
  std::vector<bool> is_group(firsts.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    uint64_t& first = firsts[components.Find(nodes[i])];
    if (first != std::numeric_limits<uint64_t>::max()) is_group[components.Find(nodes[i])] = true;
    first = std::min(first, entries[i].record);
  }
  std::vector<Member> members;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Node root = components.Find(nodes[i]);
    if (is_group[root]) members.push_back({firsts[root], entries[i].record, nodes[i]});
  }
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace

Result<NearGroups> GroupNear(std::vector<SimilarityEntry> entries, unsigned distance, unsigned threads,
                             const Progress& progress) {
  std::sort(entries.begin(), entries.end());
  std::vector<SimilarityHash> different;
  std::vector<Node> nodes;
  std::vector<bool> is_shared;  // whether several entries have the hash
  nodes.reserve(entries.size());
  different.reserve(entries.size());
  for (const SimilarityEntry& entry : entries) {
    const bool is_new = different.empty() || different.back() != entry.hash;
    if (is_new) {
      different.push_back(entry.hash);
      is_shared.push_back(false);
    } else {
      is_shared.back() = true;
    }
    nodes.push_back(static_cast<Node>(different.size() - 1));
  }
  OFINDEX_ASSIGN(Components components, ConnectAll(different, distance, threads, progress));
  const std::vector<Member> members = MembersOf(entries, nodes, components);
  NearGroups found;
  std::vector<uint64_t> records;
  for (size_t i = 0; i < members.size(); ++i) {
    records.push_back(members[i].record);
    found.distances.push_back(is_shared[members[i].node] ? uint8_t{0} : components.nearest(members[i].node));
    if (i + 1 < members.size() && members[i + 1].first == members[i].first) continue;
    found.groups.Add(records);
    records.clear();
  }
  return found;
}

}  // namespace ofindex
