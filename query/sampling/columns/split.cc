#include "query/sampling/columns/split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "query/sampling/columns/column_blocks.h"
#include "query/sampling/columns/grouped_strata.h"
#include "query/sampling/columns/value_key.h"
#include "query/sampling/orders/interleave.h"
#include "query/sampling/orders/sample_key.h"
#include "query/sampling/sets/set_of.h"
#include "query/stats/group_numbers.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

constexpr double kSlack = 1e-9;               // tolerance of a sum of fractions
constexpr uint64_t kRecordsAtOnce = 1 << 16;  // if there are no blocks to go by

Result<void> Check(const SplitOptions& options) {
  if (options.parts.empty() || options.parts.size() > kMaxSplitParts) {
    return Fail(ErrorCode::kUsage,
                StrCat("a split into ", Counted(options.parts.size(), "part"), "; expected 1 to ", kMaxSplitParts));
  }
  std::set<std::string_view> names;
  double sum = 0;
  for (const SplitPart& part : options.parts) {
    const std::string shown = Printable(part.name);
    if (part.name.empty()) return Fail(ErrorCode::kUsage, "part '': expected a name");
    if (!names.insert(part.name).second) {
      return Fail(ErrorCode::kUsage, StrCat("part '", shown, "': named twice; expected each name once"));
    }
    if (!(part.fraction > 0 && part.fraction <= 1 + kSlack)) {
      return Fail(ErrorCode::kUsage, StrCat("part '", shown, "': expected a fraction above 0 and at most 1"));
    }
    sum += part.fraction;
  }
  if (sum > 1 + kSlack) {
    return Fail(ErrorCode::kUsage, StrCat("the fractions of ", Counted(options.parts.size(), "part"),
                                          " sum up to more than 1; expected at most 1"));
  }
  return {};
}

// Assigns parts by hashes.
class Thresholds {
 public:
  explicit Thresholds(const std::vector<SplitPart>& parts) {
    double sum = 0;
    for (const SplitPart& part : parts) {
      sum += part.fraction;
      ends_.push_back(static_cast<uint64_t>(sum > 1 - kSlack ? 0x1p63 : sum * 0x1p63));
    }
  }

  [[nodiscard]] uint32_t PartOf(uint64_t hash) const {
    const auto found = std::upper_bound(ends_.begin(), ends_.end(), hash >> 1);
    return found == ends_.end() ? kNoPart : static_cast<uint32_t>(found - ends_.begin());
  }

 private:
  std::vector<uint64_t> ends_;  // of 63 bits
};

// Assigns parts to the records of one value, one after the other. A short cycle of the Interleave is computed as a
// whole and kept for the records that follow. The first cycle is computed record by record: in a column of many values,
// most values are too rare to need more than its start.
class Stratum {
 public:
  [[nodiscard]] uint32_t Next(const Interleave& interleave) {
    const uint64_t at = count_++ % interleave.cycle();
    if (count_ <= interleave.cycle() || interleave.cycle() > kShortCycle)
      return interleave.AtUnder(key, count_ - 1).party;
    if (at == 0) {
      std::array<Turn, kShortCycle> turn;
      const std::span cycle(turn.data(), interleave.cycle());
      interleave.FillUnder(key, count_ - 1, 1, cycle);
      parties_.resize(cycle.size());
      for (size_t i = 0; i < cycle.size(); ++i) parties_[i] = static_cast<uint16_t>(cycle[i].party);
    }
    return parties_[at];
  }

  uint64_t key = 0;  // of its Interleave

 private:
  static constexpr uint64_t kShortCycle = 32;

  uint64_t count_ = 0;
  std::vector<uint16_t> parties_;  // of the computed cycle
};

// The strata of all values.
class Strata {
 public:
  Strata(Interleave interleave, uint64_t key) : interleave_(std::move(interleave)), key_(key) {}

  [[nodiscard]] Stratum* Of(const Chunk::Value& value) {
    const uint64_t value_key = ValueKey(value);
    Stratum& stratum = strata_[value_key];
    stratum.key = SampleKey(key_, value_key);
    return &stratum;
  }

  [[nodiscard]] uint32_t Next(Stratum& stratum) const { return stratum.Next(interleave_); }

 private:
  Interleave interleave_;
  uint64_t key_;
  std::unordered_map<uint64_t, Stratum> strata_;  // by key of value
};

class Splitting {
 public:
  Splitting(ColumnStore& store, uint64_t records, const SplitOptions& options, const VisitParts& visit)
      : store_(store),
        records_(records),
        options_(options),
        visit_(visit),
        key_(SampleKey(options.seed, 0, SampleUse::kSplit)),
        ordinal_key_(SampleKey(key_, 0)),
        thresholds_(options.parts) {}

  [[nodiscard]] Result<void> ByOrdinal() {
    OFINDEX_TRY(CheckRecords(store_, records_));
    for (uint64_t first = 0; first < records_; first += kRecordsAtOnce) {
      if (options_.cancel != nullptr && *options_.cancel) return Interrupted();
      parts_.resize(std::min(kRecordsAtOnce, records_ - first));
      for (uint64_t r = 0; r < parts_.size(); ++r) parts_[r] = PartOf(first + r);
      visit_(first, parts_);
    }
    return {};
  }

  [[nodiscard]] Result<void> ByKey() {
    OFINDEX_TRY(CheckSingle(*options_.key, "a key"));
    const uint64_t value_key = SampleKey(key_, 1);
    return ForEachGroup(*options_.key, [&](uint64_t first, const GroupNumbers& groups) {
      std::vector<uint32_t> part_of(groups.values.size());
      for (size_t g = 0; g < part_of.size(); ++g) {
        part_of[g] = thresholds_.PartOf(SampleKey(value_key, ValueKey(groups.values[g])));
      }
      for (uint64_t r = 0; r < parts_.size(); ++r) {
        const uint32_t group = groups.number[r];
        parts_[r] = groups.values[group].type == Type::kNull ? PartOf(first + r) : part_of[group];
      }
    });
  }

  [[nodiscard]] Result<void> Stratified() {
    OFINDEX_TRY(CheckSingle(*options_.stratify, "a stratum"));
    OFINDEX_ASSIGN(Strata strata, OpenStrata());
    return ForEachGroup(*options_.stratify, [&](uint64_t, const GroupNumbers& groups) {
      std::vector<Stratum*> stratum_of(groups.values.size());
      for (uint64_t r = 0; r < parts_.size(); ++r) {
        Stratum*& stratum = stratum_of[groups.number[r]];
        if (stratum == nullptr) stratum = strata.Of(groups.values[groups.number[r]]);
        parts_[r] = PartOfParty(strata.Next(*stratum));
      }
    });
  }

  [[nodiscard]] Result<void> ByKeyStratified() {
    OFINDEX_TRY(CheckSingle(*options_.key, "a key"));
    OFINDEX_TRY(CheckSingle(*options_.stratify, "a stratum"));
    OFINDEX_ASSIGN(Strata strata, OpenStrata());
    GroupedStrata grouped;
    OFINDEX_TRY(ForEachPair([&](uint64_t, uint64_t count, const GroupNumbers& keys, const GroupNumbers& classes) {
      return AddRecords(count, keys, classes, grouped);
    }));
    const std::vector<double> shares = Shares();
    OFINDEX_ASSIGN(const std::vector<uint32_t> party_of, grouped.Assign(shares, SampleKey(key_, 3), options_.cancel));
    return ForEachPair(
        [&](uint64_t first, uint64_t count, const GroupNumbers& keys, const GroupNumbers& classes) -> Result<void> {
          std::vector<uint32_t> party(keys.values.size());
          for (size_t g = 0; g < party.size(); ++g) {
            if (keys.values[g].type != Type::kNull) party[g] = party_of[grouped.GroupOf(ValueKey(keys.values[g]))];
          }
          parts_.resize(count);
          for (uint64_t r = 0; r < count; ++r) {
            const uint32_t group = keys.number[r];
            const bool alone = keys.values[group].type == Type::kNull;
            const auto next = [&] { return strata.Next(*strata.Of(classes.values[classes.number[r]])); };
            parts_[r] = PartOfParty(alone ? next() : party[group]);
          }
          visit_(first, parts_);
          return {};
        });
  }

 private:
  [[nodiscard]] uint32_t PartOf(uint64_t ordinal) const { return thresholds_.PartOf(SampleKey(ordinal_key_, ordinal)); }

  [[nodiscard]] uint32_t PartOfParty(uint32_t party) const { return party < options_.parts.size() ? party : kNoPart; }

  [[nodiscard]] Result<Strata> OpenStrata() const {
    OFINDEX_ASSIGN(Interleave interleave, Interleave::InShares(Shares(), 0));
    return Strata(std::move(interleave), SampleKey(key_, 2));
  }

  // Adds the first `count` records of a block.
  [[nodiscard]] static Result<void> AddRecords(uint64_t count, const GroupNumbers& keys, const GroupNumbers& classes,
                                               GroupedStrata& grouped) {
    std::vector<uint32_t> class_of(classes.values.size());
    for (size_t c = 0; c < class_of.size(); ++c) class_of[c] = grouped.ClassOf(ValueKey(classes.values[c]));
    std::vector<uint32_t> group_of(keys.values.size());
    for (size_t g = 0; g < group_of.size(); ++g) {
      if (keys.values[g].type != Type::kNull) group_of[g] = grouped.GroupOf(ValueKey(keys.values[g]));
    }
    for (uint64_t r = 0; r < count; ++r) {
      if (keys.values[keys.number[r]].type == Type::kNull) continue;
      OFINDEX_TRY(grouped.Add(group_of[keys.number[r]], class_of[classes.number[r]]));
    }
    return {};
  }

  // Calls `body(first, count, keys, classes)`, which returns a Result<void>, for each block.
  template <typename Body>
  [[nodiscard]] Result<void> ForEachPair(Body body) {
    return ForEachChunk(store_, *options_.key, records_, options_.cancel,
                        [&](uint64_t first, uint64_t count, const Chunk& keys) -> Result<void> {
                          const uint64_t block = store_.BlockOf(first).value_or(0);
                          OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> classes,
                                         store_.Load(*options_.stratify, block));
                          return body(first, count, NumberGroups(keys), NumberGroups(*classes));
                        });
  }

  // The fractions of the parts and, if they do not sum to 1, the rest.
  [[nodiscard]] std::vector<double> Shares() const {
    std::vector<double> shares;
    double sum = 0;
    for (const SplitPart& part : options_.parts) {
      shares.push_back(part.fraction);
      sum += part.fraction;
    }
    if (1 - sum > kSlack) shares.push_back(1 - sum);
    return shares;
  }

  // Calls `fill(first, groups)`, which fills parts_, for each block.
  template <typename Fill>
  [[nodiscard]] Result<void> ForEachGroup(const Column& column, Fill fill) {
    return ForEachChunk(store_, column, records_, options_.cancel,
                        [&](uint64_t first, uint64_t count, const Chunk& chunk) -> Result<void> {
                          parts_.resize(count);
                          fill(first, NumberGroups(chunk));
                          visit_(first, parts_);
                          return {};
                        });
  }

  ColumnStore& store_;
  uint64_t records_;
  const SplitOptions& options_;
  const VisitParts& visit_;
  uint64_t key_;
  uint64_t ordinal_key_;
  Thresholds thresholds_;
  std::vector<uint32_t> parts_;  // of the records of one block
};

}  // namespace

Result<void> ForEachPart(ColumnStore& store, uint64_t records, const SplitOptions& options, const VisitParts& visit) {
  OFINDEX_TRY(Check(options));
  return WithMemory("a split", [&] {
    Splitting splitting(store, records, options, visit);
    if (options.key && options.stratify) return splitting.ByKeyStratified();
    return options.key ? splitting.ByKey() : options.stratify ? splitting.Stratified() : splitting.ByOrdinal();
  });
}

Result<std::vector<OrdinalSet>> Split(ColumnStore& store, uint64_t records, const SplitOptions& options) {
  std::vector<OrdinalSet::Builder> builders(options.parts.size());
  OFINDEX_TRY(ForEachPart(store, records, options, [&](uint64_t first, std::span<const uint32_t> parts) {
    for (const uint32_t part : parts) {
      if (part != kNoPart) builders[part].Add(first);
      ++first;
    }
  }));
  std::vector<OrdinalSet> sets;
  for (OrdinalSet::Builder& builder : builders) sets.push_back(builder.Take());
  if (store.records() == store.ordinals()) return sets;
  const OrdinalSet present = SetOf(store);
  for (OrdinalSet& set : sets) set = set.Intersect(present);
  return sets;
}

}  // namespace ofindex
