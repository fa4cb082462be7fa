#include "index/keys/key_file.h"

#include <algorithm>

#include "base/allocation.h"
#include "base/text.h"
#include "index/catalog/shared_catalog.h"
#include "index/keys/key_paths.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxFactsBytes = kKeyFactsBytes + (uint64_t{1} << 20);

// Returns the first number in [begin, end), which is not empty, for which `reaches` holds, or `end`: from some number
// on, it holds for all. Searches outwards from `guess`, in growing steps.
template <typename Reaches>
uint64_t FirstThatReaches(uint64_t begin, uint64_t end, uint64_t guess, const Reaches& reaches) {
  const uint64_t probe = std::min(guess, end - 1);
  uint64_t low = begin;
  uint64_t high = end;
  uint64_t step = 4;
  if (reaches(probe)) {
    for (high = probe; high - low > step; high -= step, step *= 2) {
      if (reaches(high - step)) continue;
      low = high - step + 1;
      break;
    }
  } else {
    for (low = probe + 1; high - low > step; low += step + 1, step *= 2) {
      if (!reaches(low + step)) continue;
      high = low + step;
      break;
    }
  }
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (reaches(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Result<KeyFile> KeyFile::OpenAt(const std::string& path, const std::string& index) {
  return WithMemory("the facts of a key", [&]() -> Result<KeyFile> {
    const std::string suffix(kKeySuffix);
    const size_t at = path.rfind(suffix);
    SealedKind kind = KeyKind(index, at == std::string::npos ? "NAME" : path.substr(at + suffix.size()));
    OFINDEX_ASSIGN(SealedFile file, SealedFile::Open(path, kind));
    const auto damaged = [&](const char* what) {
      return Fail(ErrorCode::kIndex, StrCat(Printable(path), ": a key whose ", what), kind.hint);
    };
    if (file.sections() != kKeySections || file.section_bytes(kKeyFacts) > kMaxFactsBytes) {
      return damaged("sections are not those of a key");
    }
    std::vector<uint8_t> bytes(file.section_bytes(kKeyFacts));
    OFINDEX_TRY(file.Copy(kKeyFacts, 0, bytes));
    KeyFacts facts;
    if (!facts.Decode(bytes)) return damaged("facts make no sense");
    if (file.section_bytes(kKeyEntries) / 8 != facts.entries || file.section_bytes(kKeyEntries) % 8 != 0 ||
        file.section_bytes(kKeyDirectory) != (facts.buckets() + 1) * 8) {
      return damaged("sections have other sizes than its facts say");
    }
    kind = KeyKind(index, facts.name);
    return KeyFile(std::move(file), std::move(facts), std::move(kind));
  });
}

Result<KeyFile> KeyFile::Open(const std::shared_ptr<const IndexFile>& index, const std::string& name) {
  const std::string path = KeyPathOf(index->place(), name);
  const SealedKind kind = KeyKind(index->path(), name);
  auto opened = OpenAt(path, index->path());
  if (!opened && opened.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kNotFound,
                StrCat(Printable(index->path()), ": has no key by feature '", Printable(name), "'; expected the file ",
                       Printable(path)),
                StrCat("make it with `ofindex key ", ShellWord(Printable(index->path())), " ",
                       ShellWord(Printable(name)), "`"));
  }
  if (!opened) return Fail(opened.error().code, opened.error().message, kind.hint);
  if (opened->facts().name != name) {
    return Fail(ErrorCode::kIndex,
                StrCat(Printable(path), ": a key by feature '", Printable(opened->facts().name), "'; expected one by '",
                       Printable(name), "'"),
                kind.hint);
  }
  OFINDEX_TRY(opened->CheckOrigin(index));
  return opened;
}

Result<KeyFile> KeyFile::OpenBeside(const std::shared_ptr<const IndexFile>& index, const std::string& path) {
  OFINDEX_ASSIGN(KeyFile key, OpenAt(path, index->path()));
  const std::string expected = KeyPathOf(index->place(), key.facts().name);
  if (path != expected) {
    return Fail(ErrorCode::kIndex,
                StrCat(Printable(path), ": a key by feature '", Printable(key.facts().name), "'; expected the name ",
                       Printable(expected)),
                "rename the file, or remove it if it is not needed");
  }
  OFINDEX_TRY(key.CheckOrigin(index));
  return key;
}

// The catalog is opened only to say what differs.
Result<void> KeyFile::CheckOrigin(const std::shared_ptr<const IndexFile>& index) const {
  if (origin().binding == index->identity()) return {};
  OFINDEX_ASSIGN(const IndexOrigin wanted, OriginOf(index));
  return file_.CheckOrigin(wanted, index->path());
}

Result<IndexOrigin> OriginOf(const std::shared_ptr<const IndexFile>& index) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, SharedCatalog::Open(index));
  return IndexOrigin{.id = catalog->facts().id,
                     .binding = index->identity(),
                     .generation = static_cast<uint64_t>(catalog->generations().back().number)};
}

// Sets [begin, end) to the entries of a bucket. Returns false if they cannot be read or make no sense.
bool KeyFile::BucketOf(const SealedFile::Bytes& bytes, uint64_t bucket, uint64_t& begin, uint64_t& end) const {
  const uint8_t* const at = bytes.At(kKeyDirectory, bucket * 8, 16);
  if (at == nullptr) return false;
  begin = LoadLe64(at);
  end = LoadLe64(at + 8);
  return begin <= end && end <= facts_.entries;
}

// Returns where in [begin, end) the entries of a hash are if hashes are spread evenly.
uint64_t KeyFile::Guess(uint64_t hash, uint64_t begin, uint64_t end) const {
  constexpr uint64_t kMaxExact = uint64_t{1} << 32;
  const uint64_t size = end - begin;
  if (size >= kMaxExact) return begin + size / 2;
  return begin + (((hash << facts_.bucket_bits) >> 32) * size >> 32);
}

// Runs in a guarded section.
bool KeyFile::FindOne(const SealedFile::Bytes& bytes, uint64_t hash, Candidates& found) const {
  uint64_t begin = 0;
  uint64_t end = 0;
  if (!BucketOf(bytes, facts_.Bucket(hash), begin, end)) return false;
  found = {};
  if (begin == end) return true;
  const uint64_t part = facts_.Part(hash);
  bool readable = true;
  uint64_t entry = 0;
  const auto load = [&](uint64_t number) {
    const uint8_t* const at = bytes.At(kKeyEntries, number * 8, 8);
    readable = readable && at != nullptr;
    entry = readable ? LoadLe64(at) : 0;
    return facts_.PartOf(entry);
  };
  const auto reaches = [&](uint64_t number) { return load(number) >= part; };
  const uint64_t first = FirstThatReaches(begin, end, Guess(hash, begin, end), reaches);
  if (!readable || first == end || load(first) != part || !readable) return readable;
  found = {.first = first, .count = 1, .ordinal = facts_.OrdinalOf(entry)};
  const auto passes = [&](uint64_t number) { return load(number) > part; };
  if (first + 1 < end) found.count = FirstThatReaches(first + 1, end, first + 1, passes) - first;
  return readable;
}

Result<void> KeyFile::Find(std::span<const uint64_t> hashes, std::span<Candidates> found) const {
  return file_.Read([&](const SealedFile::Bytes& bytes) {
    constexpr size_t kAhead = 16;  // lookups whose cache lines are on their way
    for (size_t i = 0; i < hashes.size(); ++i) bytes.Prefetch(kKeyDirectory, facts_.Bucket(hashes[i]) * 8);
    const auto prefetch = [&](uint64_t hash) {
      uint64_t begin = 0;
      uint64_t end = 0;
      if (BucketOf(bytes, facts_.Bucket(hash), begin, end)) bytes.Prefetch(kKeyEntries, Guess(hash, begin, end) * 8);
    };
    for (size_t i = 0; i < std::min(kAhead, hashes.size()); ++i) prefetch(hashes[i]);
    for (size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) prefetch(hashes[i + kAhead]);
      if (!FindOne(bytes, hashes[i], found[i])) return false;
    }
    return true;
  });
}

Result<void> KeyFile::Ordinals(uint64_t first, std::span<uint64_t> ordinals) const {
  return file_.Read([&](const SealedFile::Bytes& bytes) {
    for (size_t i = 0; i < ordinals.size(); ++i) {
      const uint8_t* const at = bytes.At(kKeyEntries, (first + i) * 8, 8);
      if (at == nullptr) return false;
      ordinals[i] = facts_.OrdinalOf(LoadLe64(at));
    }
    return true;
  });
}

Result<void> KeyFile::CheckAll(const Progress& progress) const {
  OFINDEX_TRY(file_.CheckAll(progress));
  volatile bool sound = true;
  const auto agree = [&](uint64_t bucket) {
    return file_.Read([&](const SealedFile::Bytes& bytes) {
      uint64_t begin = 0;
      uint64_t end = 0;
      sound = BucketOf(bytes, bucket, begin, end) && (bucket != 0 || begin == 0) &&
              (bucket + 1 != facts_.buckets() || end == facts_.entries);
      uint64_t last = 0;
      for (uint64_t i = begin; sound && i < end; ++i) {
        const uint8_t* const at = bytes.At(kKeyEntries, i * 8, 8);
        if (at == nullptr) return false;
        const uint64_t part = facts_.PartOf(LoadLe64(at));
        sound = part >= last;
        last = part;
      }
      return true;
    });
  };
  for (uint64_t bucket = 0; sound && bucket < facts_.buckets(); ++bucket) {
    if (progress.cancel) return Interrupted();
    OFINDEX_TRY(agree(bucket));
  }
  if (sound) return {};
  return Fail(ErrorCode::kIndex, StrCat(Printable(path()), ": a key whose entries and directory contradict each other"),
              kind_.hint);
}

}  // namespace ofindex
