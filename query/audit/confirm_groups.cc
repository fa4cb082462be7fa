#include "query/audit/confirm_groups.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "query/audit/shared_work.h"

namespace ofindex {
namespace {

// Confirms groups on one thread.
class ConfirmWorker {
 public:
  ConfirmWorker(const RecordGroups& candidates, const RecordNumbers& numbers, std::span<const ComparedBytes> bytes,
                const Progress& progress, ConfirmedGroups& all)
      : candidates_(candidates), numbers_(numbers), bytes_(bytes), progress_(progress), all_(all) {}

  Result<void> Do(size_t group) {
    const std::span<const uint64_t> records = candidates_[group];
    pending_.emplace_back(records.begin(), records.end());
    while (!pending_.empty()) {
      const std::vector<uint64_t> some = std::move(pending_.back());
      pending_.pop_back();
      OFINDEX_TRY(Divide(some));
    }
    return {};
  }

  Result<void> Finish() {
    for (size_t group = 0; group < own_.groups.size(); ++group) all_.groups.Add(own_.groups[group]);
    all_.collisions += own_.collisions;
    return {};
  }

 private:
  Result<bool> Read(uint64_t record, std::vector<uint8_t>& bytes) {
    if (progress_.cancel) return Interrupted();
    const RecordNumbers::Place place = numbers_.At(record);
    return bytes_[place.set].Read(place.ordinal, room_, bytes);
  }

  // Takes the records with the bytes of the first one as a group, and leaves the others pending.
  Result<void> Divide(const std::vector<uint64_t>& records) {
    equal_.assign(1, records.front());
    std::vector<uint64_t> others;
    OFINDEX_ASSIGN(const bool has_bytes, Read(records.front(), first_));
    for (size_t i = 1; i < records.size(); ++i) {
      OFINDEX_ASSIGN(const bool has, Read(records[i], other_));
      (has_bytes && has && first_ == other_ ? equal_ : others).push_back(records[i]);
    }
    if (equal_.size() > 1) own_.groups.Add(equal_);
    if (others.empty()) return {};
    own_.collisions += others.size();
    return others.size() > 1 ? Split(others) : Result<void>();
  }

  // Splits records by a hash that nobody could forge.
  Result<void> Split(const std::vector<uint64_t>& records) {
    const uint64_t seed = uint64_t{random_()} << 32 | random_();
    std::vector<KeyEntry> entries;
    for (const uint64_t record : records) {
      OFINDEX_ASSIGN(const bool has_bytes, Read(record, other_));
      if (has_bytes) entries.push_back({Xxh3(other_, seed), record});
    }
    std::sort(entries.begin(), entries.end());
    for (size_t begin = 0; begin < entries.size();) {
      size_t end = begin + 1;
      while (end < entries.size() && entries[end].hash == entries[begin].hash) ++end;
      if (end - begin > 1) {
        std::vector<uint64_t>& some = pending_.emplace_back();
        for (size_t i = begin; i < end; ++i) some.push_back(entries[i].ordinal);
      }
      begin = end;
    }
    return {};
  }

  const RecordGroups& candidates_;
  const RecordNumbers& numbers_;
  std::span<const ComparedBytes> bytes_;
  const Progress& progress_;
  ConfirmedGroups& all_;
  ConfirmedGroups own_;
  std::vector<std::vector<uint64_t>> pending_;
  std::vector<uint64_t> equal_;
  std::vector<uint8_t> first_;
  std::vector<uint8_t> other_;
  ComparedBytes::Room room_;
  std::random_device random_;
};

}  // namespace

Result<RecordGroups> GroupsByHash(EntrySorter& sorter, const Progress& progress) {
  RecordGroups groups;
  std::vector<uint64_t> same;
  uint64_t hash = 0;
  const auto end_group = [&] {
    if (same.size() > 1) groups.Add(same);
    same.clear();
  };
  OFINDEX_TRY(sorter.Merge(
      [&](const KeyEntry& entry) -> Result<void> {
        if (!same.empty() && entry.hash != hash) end_group();
        hash = entry.hash;
        same.push_back(entry.ordinal);
        return {};
      },
      progress));
  end_group();
  return groups;
}

Result<ConfirmedGroups> ConfirmGroups(const RecordGroups& candidates, const RecordNumbers& numbers,
                                      std::span<const ComparedBytes> bytes, unsigned threads,
                                      const Progress& progress) {
  ConfirmedGroups all;
  OFINDEX_TRY(ShareWork(candidates.size(), threads, progress, "the groups of duplicates",
                        [&] { return ConfirmWorker(candidates, numbers, bytes, progress, all); }));
  return all;
}

}  // namespace ofindex
