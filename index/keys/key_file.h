#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/database/index_file.h"
#include "index/keys/key_format.h"
#include "mmap/sealed/sealed_file.h"

namespace ofindex {

/// A key of an index, mapped: for the hash of a value, the ordinals of the records that may have it.
///
/// Immutable and thread-safe; usable after fork. The bytes are untrusted: see SealedFile.
class KeyFile {
 public:
  /// Opens the key by feature `name` of an open index. Takes the same time for any number of entries.
  /// Errors: kNotFound if there is none; kStale if it belongs to another build of the index; kIndex if it is damaged,
  /// or a key by another feature; kIo, kLimit. The hints say how to make it again.
  [[nodiscard]] static Result<KeyFile> Open(const std::shared_ptr<const IndexFile>& index, const std::string& name);

  /// Opens the key file at `path`, next to an open index. Errors: as above; kIndex if it has the name of another key.
  [[nodiscard]] static Result<KeyFile> OpenBeside(const std::shared_ptr<const IndexFile>& index,
                                                  const std::string& path);

  /// Opens the key file at `path`, whatever index it belongs to; `index` is for messages.
  [[nodiscard]] static Result<KeyFile> OpenAt(const std::string& path, const std::string& index);

  [[nodiscard]] const KeyFacts& facts() const { return facts_; }
  [[nodiscard]] const IndexOrigin& origin() const { return file_.origin(); }
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] uint64_t size() const { return file_.size(); }

  /// Succeeds if the key was made for this index. Errors: kStale, naming what differs; kIndex.
  [[nodiscard]] Result<void> CheckOrigin(const std::shared_ptr<const IndexFile>& index) const;

  /// The entries of a hash: [first, first + count). `ordinal` is that of the first one, if there is any.
  struct Candidates {
    uint64_t first = 0;
    uint64_t count = 0;
    uint64_t ordinal = 0;
  };

  /// Sets found[i] to the candidates of hashes[i]. Both spans have the same size; calls with some 64 hashes reach full
  /// speed. Errors: kIndex if the key is damaged; kStale if it was truncated or rewritten since it was opened.
  [[nodiscard]] Result<void> Find(std::span<const uint64_t> hashes, std::span<Candidates> found) const;

  /// Sets `ordinals` to those of the entries from `first` on. Those of equal values ascend. Errors: as Find.
  [[nodiscard]] Result<void> Ordinals(uint64_t first, std::span<uint64_t> ordinals) const;

  /// Compares the whole file with its checksums, and checks that entries and directory agree. Errors: kIndex, kStale,
  /// kInterrupted.
  [[nodiscard]] Result<void> CheckAll(const Progress& progress = {}) const;

 private:
  KeyFile(SealedFile file, KeyFacts facts, SealedKind kind)
      : file_(std::move(file)), facts_(std::move(facts)), kind_(std::move(kind)) {}

  [[nodiscard]] bool BucketOf(const SealedFile::Bytes& bytes, uint64_t bucket, uint64_t& begin, uint64_t& end) const;
  [[nodiscard]] bool FindOne(const SealedFile::Bytes& bytes, uint64_t hash, Candidates& found) const;
  [[nodiscard]] uint64_t Guess(uint64_t hash, uint64_t begin, uint64_t end) const;

  SealedFile file_;
  KeyFacts facts_;
  SealedKind kind_;
};

/// Returns the build that `index` is of, as its keys name it. Errors: kIndex, kStale.
[[nodiscard]] Result<IndexOrigin> OriginOf(const std::shared_ptr<const IndexFile>& index);

}  // namespace ofindex
