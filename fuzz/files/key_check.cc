#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/files/key_lookup_check.h"
#include "fuzz/files/sealed_input.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "index/keys/key_file.h"
#include "index/keys/key_paths.h"
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

// Facts that can be read, and written again, say the same.
void CheckFacts(ByteView facts) {
  KeyFacts decoded;
  if (!decoded.Decode(facts)) return;
  const std::vector<uint8_t> again = decoded.Encode();
  Expect(again.size() == facts.size(), "facts that are written otherwise");
  KeyFacts twice;
  Expect(twice.Decode(again) && twice.entries == decoded.entries && twice.name == decoded.name,
         "facts that are read otherwise");
}

void UseKey(const Result<KeyFile>& key, const std::vector<uint64_t>& hashes) {
  if (!IsThere(key)) return;
  FindIn(*key, hashes);
  static_cast<void>(IsThere(key->CheckAll()));
}

// Opens the key by its name and by its path, as one of an index.
void UseKeyBeside(const std::shared_ptr<const IndexFile>& index, const std::string& path,
                  const std::vector<uint64_t>& hashes) {
  UseKey(KeyFile::OpenBeside(index, path), hashes);
  for (const char* name : {"name", "nobody"}) UseKey(KeyFile::Open(index, name), hashes);
}

// Puts the key next to an index. `is_own` says whether its header names that index.
void CheckKeyBeside(const std::vector<ByteView>& sections, bool is_own, size_t patches, FuzzInput& patch,
                    const std::vector<uint64_t>& hashes) {
  static const std::shared_ptr<const IndexFile> index = IndexFile::Open(SmallDataset::Get().index()).value();
  static const IndexOrigin origin = OriginOf(index).value();
  const SealedKind kind = KeyKind("input.ofidx", "name");
  std::vector<uint8_t> bytes = SealedBytes(kind, sections, is_own ? origin : IndexOrigin{});
  for (size_t i = 0; i < patches; ++i) PatchSealed(kind, bytes, patch);
  const std::string path = KeyPathOf(index->path(), "name");
  WriteFileAt(path, bytes);
  UseKeyBeside(index, path, hashes);
  std::filesystem::remove(path);
}

}  // namespace

// The first byte says what is tried, and how the file is damaged, with the next ones; then hashes, and the sections.
void CheckKey(ByteView bytes) {
  FuzzInput input(bytes);
  const uint8_t choices = input.Byte();
  if (choices == UINT8_MAX) return CheckKeyLookup(input);
  if (choices % 4 == 0) return CheckWrittenKey(TakeEntries(input));
  const size_t patches = choices / 4 % 4;
  FuzzInput patch(patches == 0 ? ByteView() : input.Bytes(32));
  std::vector<uint64_t> hashes;
  for (size_t n = input.Below(16); hashes.size() < n;) hashes.push_back(input.Number(8));
  const ByteView facts = input.Bytes(kKeyFactsBytes + input.Below(16));
  const ByteView directory = input.Bytes(size_t{8} * input.Byte());
  const ByteView entries = input.Rest();
  CheckFacts(facts);
  std::vector<ByteView> sections = {entries, directory, facts};
  if (choices % 64 == 63) sections.resize(2);
  if (choices >= 128) return CheckKeyBeside(sections, choices >= 192, patches, patch, hashes);
  const SealedKind kind = KeyKind("input.ofidx", "name");
  std::vector<uint8_t> sealed = SealedBytes(kind, sections);
  for (size_t i = 0; i < patches; ++i) PatchSealed(kind, sealed, patch);
  const MemoryFile file(sealed);
  UseKey(KeyFile::OpenAt(file.path(), "input.ofidx"), hashes);
}

}  // namespace ofindex
