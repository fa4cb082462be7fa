#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/progress.h"
#include "base/result.h"
#include "index/database/index_file.h"
#include "index/keys/key_file.h"
#include "mmap/record_batch.h"
#include "query/decoding/payload_source.h"

namespace ofindex {

/// A value to look up: a byte string, which somebody else owns, or an integer.
struct LookupKey {
  LookupKey(ByteView value) : bytes(value), is_bytes(true) {}
  LookupKey(int64_t value) : integer(value) {}

  ByteView bytes = {};
  int64_t integer = 0;
  bool is_bytes = false;
};

/// A key of a dataset, with the records that verify its answers. Immutable and thread-safe; usable after fork.
class KeyLookup {
 public:
  /// The ordinal of a value that no record has.
  static constexpr uint64_t kMissing = UINT64_MAX;

  /// Opens the key of `index` by feature `name`. `records` are those of the index. Errors: those of KeyFile::Open.
  [[nodiscard]] static Result<KeyLookup> Open(const std::shared_ptr<const IndexFile>& index,
                                              std::shared_ptr<const ReaderSource> records, const std::string& name);

  [[nodiscard]] const KeyFacts& facts() const { return file_.facts(); }

  /// Sets ordinals[i] to the lowest ordinal of a record that has keys[i] among its values, or kMissing. Both spans have
  /// the same size; many keys at once are much faster than one by one.
  ///
  /// Errors: kUsage if a key is a byte string and all values are integers, or the other way round; kDamage if a
  /// candidate is bad; kStale if a shard or the key was changed; kIndex if the key is damaged; kIo, kLimit,
  /// kInterrupted.
  [[nodiscard]] Result<void> Find(std::span<const LookupKey> keys, std::span<uint64_t> ordinals,
                                  const Progress& progress = {}) const;

  /// Returns the ordinals of all records that have `key` among their values, ascending. Errors: those of Find.
  [[nodiscard]] Result<std::vector<uint64_t>> FindAll(const LookupKey& key, const Progress& progress = {}) const;

  /// Returns how many records FindAll(key) would compare. Errors: kUsage, kStale, kIndex, as of Find.
  [[nodiscard]] Result<uint64_t> CountCandidates(const LookupKey& key) const;

 private:
  // The records of some ordinals, viewed or copied.
  struct Fetched {
    std::vector<ByteView> payloads;
    RecordBatch copies;
    bool viewed = false;
  };

  KeyLookup(KeyFile file, std::shared_ptr<const ReaderSource> records)
      : file_(std::move(file)), records_(std::move(records)) {}

  [[nodiscard]] Result<void> CheckKind(const LookupKey& key) const;
  [[nodiscard]] Result<KeyFile::Candidates> CandidatesOf(const LookupKey& key) const;
  [[nodiscard]] Result<void> FindGroup(std::span<const LookupKey> keys, std::span<uint64_t> ordinals, Fetched& fetched,
                                       const Progress& progress) const;
  template <typename Use>
  [[nodiscard]] Result<void> ForEachMatch(const LookupKey& key, KeyFile::Candidates candidates, Fetched& fetched,
                                          const Progress& progress, const Use& use) const;
  [[nodiscard]] Result<uint64_t> FirstMatch(const LookupKey& key, KeyFile::Candidates candidates, Fetched& fetched,
                                            const Progress& progress) const;
  [[nodiscard]] Result<void> Compare(std::span<const LookupKey* const> keys, std::span<const uint64_t> ordinals,
                                     Fetched& fetched, std::span<bool> equal) const;
  [[nodiscard]] Result<size_t> Fetch(std::span<const uint64_t> ordinals, Fetched& fetched) const;
  [[nodiscard]] Result<void> CompareFetched(std::span<const LookupKey* const> keys, std::span<const uint64_t> ordinals,
                                            const Fetched& fetched, std::span<bool> equal) const;

  KeyFile file_;
  std::shared_ptr<const ReaderSource> records_;
};

}  // namespace ofindex
