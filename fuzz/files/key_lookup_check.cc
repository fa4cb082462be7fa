#include "fuzz/files/key_lookup_check.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/memory_file.h"
#include "index/database/index_file.h"
#include "index/keys/key_hash.h"
#include "index/keys/key_paths.h"
#include "index/keys/key_writer.h"
#include "proto/features.h"
#include "query/decoding/payload_source.h"
#include "query/keys/key_lookup.h"

namespace ofindex {
namespace {

constexpr uint64_t kOrdinals = 128;  // more than there are records
constexpr size_t kMostEntries = 400;
constexpr int64_t kValues = 16;

// A feature of the small dataset, some values of it, and which records have them.
struct KeyedFeature {
  std::string feature;
  bool is_bytes = false;

  [[nodiscard]] std::string Name(int64_t value) const { return StrCat("image ", 4 * value); }
  [[nodiscard]] int64_t Integer(int64_t value) const { return feature == "label" ? value % 9 - 2 : 3 * value; }

  // `name` holds the bytes of the key.
  [[nodiscard]] LookupKey Key(int64_t value, std::string& name) const {
    if (!is_bytes) return Integer(value);
    name = Name(value);
    return AsBytes(name);
  }
  [[nodiscard]] uint64_t Hash(int64_t value) const {
    return is_bytes ? HashOfKey(AsBytes(Name(value))) : HashOfKey(Integer(value));
  }

  [[nodiscard]] bool HasValue(uint64_t ordinal, int64_t value) const {
    DecodedRecord record;
    const std::string& payload = SmallDataset::Get().payloads()[ordinal];
    Expect(record.Decode(AsBytes(payload), PayloadKind::kExample).has_value(), "a record cannot be decoded");
    const Feature* found = record.Find(AsBytes(feature));
    if (found == nullptr) return false;
    if (is_bytes) {
      const std::span<const ByteView> names = record.bytes(found->value);
      return std::any_of(names.begin(), names.end(), [&](ByteView each) { return AsText(each) == Name(value); });
    }
    const std::span<const int64_t> integers = record.integers(found->value);
    return std::find(integers.begin(), integers.end(), Integer(value)) != integers.end();
  }
};

// For each value, the records that the entries lead to and that have the value.
std::vector<std::vector<uint64_t>> RecordsOf(const KeyedFeature& feature, const std::vector<KeyEntry>& entries,
                                             unsigned hash_bits) {
  const auto known = [&](uint64_t hash) { return hash_bits == 0 ? 0 : hash >> (64 - hash_bits); };
  std::vector<std::vector<uint64_t>> records(kValues);
  for (int64_t value = 0; value < kValues; ++value) {
    std::vector<uint64_t>& some = records[static_cast<size_t>(value)];
    for (const KeyEntry& entry : entries) {
      if (known(entry.hash) == known(feature.Hash(value))) some.push_back(entry.ordinal);
    }
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    std::erase_if(some, [&](uint64_t ordinal) { return !feature.HasValue(ordinal, value); });
  }
  return records;
}

void AskOneByOne(const KeyLookup& key, const KeyedFeature& feature, const std::vector<std::vector<uint64_t>>& records,
                 bool forged) {
  for (int64_t value = 0; value < kValues; ++value) {
    std::string name;
    const LookupKey wanted = feature.Key(value, name);
    const Result<std::vector<uint64_t>> found = key.FindAll(wanted);
    Expect(IsThere(found) || forged, "a lookup fails: ", found ? "" : found.error().message);
    if (!found) continue;
    Expect(*found == records[static_cast<size_t>(value)], "value ", value, " is in other records");
    const Result<uint64_t> candidates = key.CountCandidates(wanted);
    Expect(candidates.has_value() && *candidates >= found->size(), "more records than candidates");
  }
}

void AskTogether(const KeyLookup& key, const KeyedFeature& feature, const std::vector<std::vector<uint64_t>>& records,
                 bool forged) {
  std::vector<std::string> names(kValues);
  std::vector<LookupKey> wanted;
  for (int64_t value = 0; value < kValues; ++value) {
    wanted.push_back(feature.Key(value, names[static_cast<size_t>(value)]));
  }
  std::vector<uint64_t> found(wanted.size());
  const Result<void> asked = key.Find(wanted, found);
  Expect(IsThere(asked) || forged, "a lookup fails: ", asked ? "" : asked.error().message);
  if (!asked) return;
  for (size_t value = 0; value < found.size(); ++value) {
    const uint64_t first = records[value].empty() ? KeyLookup::kMissing : records[value].front();
    Expect(found[value] == first, "value ", value, " is first in another record");
  }
}

// Returns a key of these entries, with at most `hash_bits` bits of each hash.
std::vector<uint8_t> KeyOf(const KeyedFeature& feature, const std::vector<KeyEntry>& entries, uint8_t hash_bits,
                           const IndexOrigin& origin) {
  KeyFacts layout = LayoutFor(kOrdinals, entries.size(), hash_bits);
  layout.name = feature.feature;
  layout.records = SmallDataset::kRecords;
  layout.has_bytes = feature.is_bytes;
  layout.has_integers = !feature.is_bytes;
  return BytesWritten([&](OutputFile out) -> Result<void> {
    OFINDEX_ASSIGN(KeyWriter writer, KeyWriter::Begin(std::move(out), layout));
    for (const KeyEntry& entry : entries) OFINDEX_TRY(writer.Add(entry));
    return writer.Finish(KeyKind("input.ofidx", feature.feature), origin);
  });
}

}  // namespace

void CheckKeyLookup(FuzzInput& input) {
  static const std::shared_ptr<const IndexFile> index = IndexFile::Open(SmallDataset::Get().index()).value();
  static const IndexOrigin origin = OriginOf(index).value();
  static const std::shared_ptr<const ReaderSource> records =
      ReaderSource::Of({std::shared_ptr<void>(), &SmallDataset::Get().open().reader()}).value();
  static constexpr std::array<const char*, 3> kFeatures = {"label", "boxes", "name"};
  const size_t which = input.Below(kFeatures.size());
  const KeyedFeature feature{.feature = kFeatures[which], .is_bytes = which == 2};
  const uint8_t hash_bits = input.Byte() % 65;
  const bool forged = input.Below(4) == 0;
  std::vector<KeyEntry> entries;
  while (!input.empty() && entries.size() < kMostEntries) {
    const uint64_t hash = feature.Hash(static_cast<int64_t>(input.Below(kValues)));
    entries.push_back({.hash = hash, .ordinal = input.Byte() % (forged ? kOrdinals : SmallDataset::kRecords)});
  }
  std::sort(entries.begin(), entries.end());
  const std::vector<uint8_t> bytes = KeyOf(feature, entries, hash_bits, origin);
  std::erase_if(entries, [](const KeyEntry& entry) { return entry.ordinal >= SmallDataset::kRecords; });

  const std::string path = KeyPathOf(index->path(), feature.feature);
  WriteFileAt(path, bytes);
  const Result<KeyLookup> key = KeyLookup::Open(index, records, feature.feature);
  Expect(key.has_value(), "a written key does not open: ", key ? "" : key.error().message);
  const std::vector<std::vector<uint64_t>> with = RecordsOf(feature, entries, key->facts().hash_bits);
  AskOneByOne(*key, feature, with, forged);
  AskTogether(*key, feature, with, forged);
  const auto other = key->FindAll(feature.is_bytes ? LookupKey(int64_t{1}) : LookupKey(AsBytes("1")));
  Expect(!other && other.error().code == ErrorCode::kUsage, "a value of another kind is looked up");
  std::filesystem::remove(path);
}

}  // namespace ofindex
