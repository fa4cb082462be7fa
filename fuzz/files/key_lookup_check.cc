#include "fuzz/files/key_lookup_check.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/memory_file.h"
#include "index/keys/key_hash.h"
#include "index/keys/key_paths.h"
#include "index/keys/key_writer.h"
#include "proto/features.h"
#include "query/keys/key_lookup.h"

namespace ofindex {
namespace {

constexpr uint64_t kOrdinals = 128;  // more than there are records
constexpr size_t kMostEntries = 400;
constexpr int64_t kValues = 16;

// A feature of the small dataset, some values of it, and which records have them.
struct KeyQuestion {
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
    if (is_bytes) return AsText(record.bytes(found->value).front()) == Name(value);
    const std::span<const int64_t> integers = record.integers(found->value);
    return std::find(integers.begin(), integers.end(), Integer(value)) != integers.end();
  }
};

// The records that the entries lead to and that have the value.
std::vector<uint64_t> RecordsWith(const KeyQuestion& question, int64_t value, const std::vector<KeyEntry>& entries,
                                  unsigned hash_bits) {
  const auto known = [&](uint64_t hash) { return hash_bits == 0 ? 0 : hash >> (64 - hash_bits); };
  std::vector<uint64_t> records;
  for (const KeyEntry& entry : entries) {
    if (known(entry.hash) == known(question.Hash(value)) && question.HasValue(entry.ordinal, value))
      records.push_back(entry.ordinal);
  }
  std::sort(records.begin(), records.end());
  records.erase(std::unique(records.begin(), records.end()), records.end());
  return records;
}

void AskOneByOne(const KeyLookup& key, const KeyQuestion& question, const std::vector<KeyEntry>& entries) {
  for (int64_t value = 0; value < kValues; ++value) {
    std::string name;
    const LookupKey wanted = question.Key(value, name);
    const Result<std::vector<uint64_t>> found = key.FindAll(wanted);
    if (!IsThere(found)) continue;
    Expect(*found == RecordsWith(question, value, entries, key.facts().hash_bits), "value ", value,
           " is in other records");
    const Result<uint64_t> candidates = key.CountCandidates(wanted);
    Expect(candidates.has_value() && *candidates >= found->size(), "more records than candidates");
  }
}

void AskTogether(const KeyLookup& key, const KeyQuestion& question, const std::vector<KeyEntry>& entries) {
  std::vector<std::string> names(kValues);
  std::vector<LookupKey> wanted;
  for (int64_t value = 0; value < kValues; ++value) {
    wanted.push_back(question.Key(value, names[static_cast<size_t>(value)]));
  }
  std::vector<uint64_t> found(wanted.size());
  if (!IsThere(key.Find(wanted, found))) return;
  for (int64_t value = 0; value < kValues; ++value) {
    const std::vector<uint64_t> records = RecordsWith(question, value, entries, key.facts().hash_bits);
    Expect(found[static_cast<size_t>(value)] == (records.empty() ? KeyLookup::kMissing : records.front()), "value ",
           value, " is first in another record");
  }
}

// Returns a key of the entries, with as many bits of each hash as it may know.
std::vector<uint8_t> KeyOf(const KeyQuestion& question, const std::vector<KeyEntry>& entries, uint8_t hash_bits,
                           const IndexOrigin& origin) {
  KeyFacts layout = LayoutFor(kOrdinals, entries.size(), hash_bits);
  layout.name = question.feature;
  layout.records = SmallDataset::kRecords;
  layout.has_bytes = question.is_bytes;
  layout.has_integers = !question.is_bytes;
  return BytesWritten([&](OutputFile out) -> Result<void> {
    OFINDEX_ASSIGN(KeyWriter writer, KeyWriter::Begin(std::move(out), layout));
    for (const KeyEntry& entry : entries) OFINDEX_TRY(writer.Add(entry));
    return writer.Finish(KeyKind("input.ofidx", question.feature), origin);
  });
}

}  // namespace

void CheckKeyLookup(FuzzInput& input) {
  static const std::shared_ptr<const IndexFile> index = IndexFile::Open(SmallDataset::Get().index()).value();
  static const IndexOrigin origin = OriginOf(index).value();
  static const std::shared_ptr<const ReaderSource> records =
      ReaderSource::Of({std::shared_ptr<void>(), &SmallDataset::Get().open().reader()}).value();
  static constexpr std::array<const char*, 3> kFeatures = {"label", "boxes", "name"};
  const size_t feature = input.Below(kFeatures.size());
  const KeyQuestion question{.feature = kFeatures[feature], .is_bytes = feature == 2};
  const uint8_t hash_bits = input.Byte() % 65;
  const bool forged = input.Below(4) == 0;
  std::vector<KeyEntry> entries;
  while (!input.empty() && entries.size() < kMostEntries) {
    const uint64_t hash = question.Hash(static_cast<int64_t>(input.Below(kValues)));
    entries.push_back({.hash = hash, .ordinal = input.Byte() % (forged ? kOrdinals : SmallDataset::kRecords)});
  }
  std::sort(entries.begin(), entries.end());
  const std::vector<uint8_t> bytes = KeyOf(question, entries, hash_bits, origin);
  std::erase_if(entries, [](const KeyEntry& entry) { return entry.ordinal >= SmallDataset::kRecords; });

  const std::string path = KeyPathOf(index->path(), question.feature);
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(AsText(bytes).data(), std::ssize(bytes));
  const Result<KeyLookup> key = KeyLookup::Open(index, records, question.feature);
  Expect(key.has_value(), "a written key does not open: ", key ? "" : key.error().message);
  AskOneByOne(*key, question, entries);
  AskTogether(*key, question, entries);
  static_cast<void>(IsThere(key->FindAll(question.is_bytes ? LookupKey(int64_t{1}) : LookupKey(AsBytes("1")))));
  std::filesystem::remove(path);
}

}  // namespace ofindex
