#include "query/keys/key_lookup.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/allocation.h"
#include "base/text.h"
#include "index/keys/key_hash.h"
#include "mmap/files/fault_guard.h"
#include "mmap/files/prefetch.h"
#include "proto/extract/value_scan.h"

namespace ofindex {
namespace {

constexpr size_t kKeysAtOnce = 64;
constexpr uint64_t kCopiedBytes = uint64_t{16} << 20;  // of records that cannot be viewed, at once
constexpr char kLookup[] = "a lookup by key";

uint64_t HashOf(const LookupKey& key) { return key.is_bytes ? HashOfKey(key.bytes) : HashOfKey(key.integer); }

bool Equals(const LookupKey& key, const ScannedValue& value) {
  if (value.kind == FeatureKind::kBytes) {
    return key.is_bytes && key.bytes.size() == value.bytes.size() &&
           (key.bytes.empty() || std::memcmp(key.bytes.data(), value.bytes.data(), key.bytes.size()) == 0);
  }
  const bool is_integer = value.kind == FeatureKind::kInt64 || value.kind == FeatureKind::kInt32;
  return is_integer && !key.is_bytes && key.integer == value.integer;
}

}  // namespace

Result<KeyLookup> KeyLookup::Open(const std::shared_ptr<const IndexFile>& index,
                                  std::shared_ptr<const ReaderSource> records, const std::string& name) {
  OFINDEX_ASSIGN(KeyFile file, KeyFile::Open(index, name));
  return KeyLookup(std::move(file), std::move(records));
}

Result<void> KeyLookup::CheckKind(const LookupKey& key) const {
  if (key.is_bytes ? facts().has_bytes : facts().has_integers) return {};
  const std::string what = key.is_bytes ? StrCat("'", Printable(AsText(key.bytes)), "'") : StrCat(key.integer);
  return Fail(ErrorCode::kUsage,
              StrCat("key ", what, ": the values of feature '", Printable(facts().name), "' are ",
                     key.is_bytes ? "integers; expected an integer, got a byte string"
                                  : "byte strings; expected a byte string, got an integer"),
              "`ofindex schema` lists the features and their kinds");
}

Result<void> KeyLookup::Find(std::span<const LookupKey> keys, std::span<uint64_t> ordinals,
                             const Progress& progress) const {
  return WithMemory(kLookup, [&]() -> Result<void> {
    Fetched fetched;
    for (size_t i = 0; i < keys.size(); i += kKeysAtOnce) {
      if (progress.cancel) return Interrupted();
      const size_t n = std::min(kKeysAtOnce, keys.size() - i);
      OFINDEX_TRY(FindGroup(keys.subspan(i, n), ordinals.subspan(i, n), fetched, progress));
    }
    return {};
  });
}

// Compares each key with its first candidate, all of them at once. Nearly always, that is the record.
Result<void> KeyLookup::FindGroup(std::span<const LookupKey> keys, std::span<uint64_t> ordinals, Fetched& fetched,
                                  const Progress& progress) const {
  std::array<uint64_t, kKeysAtOnce> hashes;
  std::array<KeyFile::Candidates, kKeysAtOnce> candidates;
  std::array<const LookupKey*, kKeysAtOnce> wanted;
  std::array<uint64_t, kKeysAtOnce> first;
  std::array<size_t, kKeysAtOnce> place;
  std::array<bool, kKeysAtOnce> equal;
  for (size_t i = 0; i < keys.size(); ++i) {
    OFINDEX_TRY(CheckKind(keys[i]));
    hashes[i] = HashOf(keys[i]);
  }
  OFINDEX_TRY(file_.Find(std::span(hashes).first(keys.size()), std::span(candidates).first(keys.size())));
  size_t n = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    ordinals[i] = kMissing;
    if (candidates[i].count == 0) continue;
    wanted[n] = &keys[i];
    first[n] = candidates[i].ordinal;
    place[n++] = i;
  }
  const std::span<const uint64_t> found(first.data(), n);
  OFINDEX_TRY(Compare(std::span(wanted).first(n), found, fetched, std::span(equal).first(n)));
  for (size_t k = 0; k < n; ++k) {
    const size_t i = place[k];
    if (candidates[i].count > 1 && (!equal[k] || facts().has_mixed)) {
      OFINDEX_ASSIGN(ordinals[i], FirstMatch(keys[i], candidates[i], fetched, progress));
    } else if (equal[k]) {
      ordinals[i] = found[k];
    }
  }
  return {};
}

// Calls `use(ordinal)` for each candidate that has the key, in the order of the key file, until it returns false.
template <typename Use>
Result<void> KeyLookup::ForEachMatch(const LookupKey& key, KeyFile::Candidates candidates, Fetched& fetched,
                                     const Progress& progress, const Use& use) const {
  std::array<uint64_t, kKeysAtOnce> ordinals;
  std::array<const LookupKey*, kKeysAtOnce> wanted;
  std::array<bool, kKeysAtOnce> equal;
  wanted.fill(&key);
  while (candidates.count > 0) {
    if (progress.cancel) return Interrupted();
    const size_t n = std::min<uint64_t>(kKeysAtOnce, candidates.count);
    const std::span<uint64_t> some(ordinals.data(), n);
    OFINDEX_TRY(file_.Ordinals(candidates.first, some));
    OFINDEX_TRY(Compare(std::span(wanted).first(n), some, fetched, std::span(equal).first(n)));
    for (size_t i = 0; i < n; ++i) {
      if (equal[i] && !use(some[i])) return {};
    }
    candidates.first += n;
    candidates.count -= n;
  }
  return {};
}

// The candidates of one value ascend, so the first that has it is the lowest; but a record that is the candidate of
// another value with the same part of the hash may have this one, too.
Result<uint64_t> KeyLookup::FirstMatch(const LookupKey& key, KeyFile::Candidates candidates, Fetched& fetched,
                                       const Progress& progress) const {
  uint64_t found = kMissing;
  const auto take = [&](uint64_t ordinal) {
    found = std::min(found, ordinal);
    return facts().has_mixed;
  };
  OFINDEX_TRY(ForEachMatch(key, candidates, fetched, progress, take));
  return found;
}

Result<KeyFile::Candidates> KeyLookup::CandidatesOf(const LookupKey& key) const {
  OFINDEX_TRY(CheckKind(key));
  const std::array<uint64_t, 1> hash = {HashOf(key)};
  std::array<KeyFile::Candidates, 1> candidates;
  OFINDEX_TRY(file_.Find(hash, candidates));
  return candidates[0];
}

Result<uint64_t> KeyLookup::CountCandidates(const LookupKey& key) const {
  OFINDEX_ASSIGN(const KeyFile::Candidates candidates, CandidatesOf(key));
  return candidates.count;
}

Result<std::vector<uint64_t>> KeyLookup::FindAll(const LookupKey& key, const Progress& progress) const {
  return WithMemory(kLookup, [&]() -> Result<std::vector<uint64_t>> {
    OFINDEX_ASSIGN(const KeyFile::Candidates candidates, CandidatesOf(key));
    std::vector<uint64_t> all;
    Fetched fetched;
    const auto take = [&](uint64_t ordinal) {
      all.push_back(ordinal);
      return true;
    };
    OFINDEX_TRY(ForEachMatch(key, candidates, fetched, progress, take));
    // A record is a candidate more than once if several of its values have the same part of their hashes.
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  });
}

// Sets equal[i] if record ordinals[i] has keys[i].
Result<void> KeyLookup::Compare(std::span<const LookupKey* const> keys, std::span<const uint64_t> ordinals,
                                Fetched& fetched, std::span<bool> equal) const {
  for (size_t begin = 0; begin < ordinals.size();) {
    OFINDEX_ASSIGN(const size_t n, Fetch(ordinals.subspan(begin), fetched));
    OFINDEX_TRY(CompareFetched(keys.subspan(begin, n), ordinals.subspan(begin, n), fetched, equal.subspan(begin, n)));
    begin += n;
  }
  return {};
}

// Fetches the first of `ordinals`, and as many more as memory allows. Returns how many. Views the records if their
// shards are mapped: only the pages that have the feature are then read.
Result<size_t> KeyLookup::Fetch(std::span<const uint64_t> ordinals, Fetched& fetched) const {
  const RecordReader& reader = records_->reader();
  for (const uint64_t ordinal : ordinals) {
    if (ordinal >= reader.size()) {
      return Fail(ErrorCode::kIndex,
                  StrCat(Printable(file_.path()), ": a key that leads to record ", ordinal, "; expected less than ",
                         reader.size()),
                  "make it again with `ofindex key INDEX NAME`");
    }
  }
  fetched.payloads.resize(ordinals.size());
  fetched.viewed = false;
  if (!reader.inflates()) {
    Result<void> viewed = reader.View(ordinals, fetched.payloads);
    fetched.viewed = viewed.has_value();
    if (!viewed && viewed.error().code != ErrorCode::kLimit) return tl::unexpected(std::move(viewed).error());
  }
  if (fetched.viewed) return ordinals.size();
  size_t n = 0;
  for (uint64_t bytes = 0; n < ordinals.size(); ++n) {
    OFINDEX_ASSIGN(const RecordLocation location, reader.Locate(ordinals[n]));
    bytes += location.length;
    if (n > 0 && bytes > kCopiedBytes) break;
  }
  OFINDEX_TRY(reader.CopyInto(ordinals.first(n), fetched.copies));
  fetched.payloads.resize(n);
  for (size_t i = 0; i < n; ++i) fetched.payloads[i] = fetched.copies[i];
  return n;
}

Result<void> KeyLookup::CompareFetched(std::span<const LookupKey* const> keys, std::span<const uint64_t> ordinals,
                                       const Fetched& fetched, std::span<bool> equal) const {
  constexpr uint64_t kPrefetchedBytes = 256;
  const auto compare = [&] {
    for (const ByteView payload : fetched.payloads) {
      PrefetchRecord(payload.data(), std::min<uint64_t>(payload.size(), kPrefetchedBytes));
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      bool has_it = false;
      const ValueScan scan(records_->KindOf(ordinals[i]), facts().name);
      const bool sound =
          scan.Run(fetched.payloads[i], [&](const ScannedValue& value) { has_it = has_it || Equals(*keys[i], value); });
      equal[i] = sound && has_it;  // a malformed record has no features
    }
  };
  if (FaultGuard::Run(compare)) return {};
  return Fail(ErrorCode::kStale, StrCat("record ", ordinals.front(), " or a later one: its shard was truncated"),
              "restore the shard, or take its changes in with `ofindex update`");
}

}  // namespace ofindex
