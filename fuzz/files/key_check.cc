#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/files/sealed_input.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "index/keys/key_file.h"
#include "index/keys/key_writer.h"

namespace ofindex {
namespace {

constexpr uint64_t kMostOrdinals = 1 << 12;

// Finds each hash, alone and with the others, and reads the ordinals of its candidates.
void FindIn(const KeyFile& key, const std::vector<uint64_t>& hashes) {
  std::vector<KeyFile::Candidates> together(hashes.size());
  const bool all = IsThere(key.Find(hashes, together));
  for (size_t i = 0; i < hashes.size(); ++i) {
    std::vector<KeyFile::Candidates> alone(1);
    if (!IsThere(key.Find(std::span(hashes).subspan(i, 1), alone))) continue;
    const KeyFile::Candidates& found = alone[0];
    if (all) {
      Expect(found.first == together[i].first && found.count == together[i].count, "a hash is found in two places");
    }
    Expect(Fits(found.first, found.count, key.facts().entries), "candidates that the key does not have");
    std::vector<uint64_t> ordinals(std::min<uint64_t>(found.count, 8));
    if (!ordinals.empty() && IsThere(key.Ordinals(found.first, ordinals))) {
      Expect(ordinals[0] == found.ordinal, "the first candidate has two ordinals");
    }
  }
}

// Writes a key of the entries, and finds each of them.
void CheckWrittenKey(std::vector<KeyEntry> entries) {
  std::sort(entries.begin(), entries.end());
  const SealedKind kind = KeyKind("input.ofidx", "name");
  KeyFacts layout = LayoutFor(kMostOrdinals, entries.size());
  layout.name = "name";
  layout.records = entries.size();
  const std::vector<uint8_t> bytes = BytesWritten([&](OutputFile out) -> Result<void> {
    OFINDEX_ASSIGN(KeyWriter writer, KeyWriter::Begin(std::move(out), layout));
    for (const KeyEntry& entry : entries) OFINDEX_TRY(writer.Add(entry));
    return writer.Finish(kind, {});
  });
  const MemoryFile file(bytes);
  const Result<KeyFile> key = KeyFile::OpenAt(file.path(), "input.ofidx");
  Expect(key.has_value(), "a written key does not open");
  Expect(key->CheckAll().has_value(), "a written key is damaged");
  for (const KeyEntry& entry : entries) {
    std::vector<KeyFile::Candidates> found(1);
    Expect(key->Find(std::vector<uint64_t>{entry.hash}, found).has_value(), "a lookup in a written key fails");
    std::vector<uint64_t> ordinals(found[0].count);
    Expect(key->Ordinals(found[0].first, ordinals).has_value(), "ordinals of a written key cannot be read");
    Expect(std::find(ordinals.begin(), ordinals.end(), entry.ordinal) != ordinals.end(), "an entry is not found");
  }
}

// Entries from the input: near hashes are as likely as far ones.
std::vector<KeyEntry> TakeEntries(FuzzInput& input) {
  std::vector<KeyEntry> entries;
  while (!input.empty() && entries.size() < 500) {
    const uint64_t hash = input.Number(1) << 56 | input.Number(1) << 20 | input.Number(1);
    entries.push_back({.hash = hash, .ordinal = input.Number(2) % kMostOrdinals});
  }
  return entries;
}

}  // namespace

void CheckKey(ByteView bytes) {
  FuzzInput input(bytes);
  if (input.Below(4) == 0) return CheckWrittenKey(TakeEntries(input));
  std::vector<uint64_t> hashes;
  for (size_t n = input.Below(16); hashes.size() < n;) hashes.push_back(input.Number(8));
  const ByteView facts = input.Bytes(kKeyFactsBytes + input.Below(16));
  const ByteView directory = input.Bytes(size_t{8} * input.Byte());
  const ByteView entries = input.Rest();
  KeyFacts decoded;
  if (decoded.Decode(facts)) {
    const std::vector<uint8_t> again = decoded.Encode();
    Expect(again.size() == facts.size(), "facts that are written otherwise");
    KeyFacts twice;
    Expect(twice.Decode(again) && twice.entries == decoded.entries && twice.name == decoded.name,
           "facts that are read otherwise");
  }
  const MemoryFile file(SealedBytes(KeyKind("input.ofidx", "name"), {entries, directory, facts}));
  const Result<KeyFile> key = KeyFile::OpenAt(file.path(), "input.ofidx");
  if (!IsThere(key)) return;
  FindIn(*key, hashes);
  static_cast<void>(IsThere(key->CheckAll()));
}

}  // namespace ofindex
