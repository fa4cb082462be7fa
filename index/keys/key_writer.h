#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/result.h"
#include "index/keys/key_format.h"
#include "mmap/sealed/sealed_writer.h"

namespace ofindex {

/// A key's hash, and a record that has the key.
struct KeyEntry {
  uint64_t hash = 0;
  uint64_t ordinal = 0;

  friend auto operator<=>(const KeyEntry&, const KeyEntry&) = default;
};

/// Writes the key file of entries in ascending order. Moves, does not copy; not thread-safe. Takes 8 bytes of memory
/// per 64 to 128 entries.
class KeyWriter {
 public:
  /// Begins to write to `out`. `facts` has a name, and the bits of LayoutFor(). Errors: kIo.
  [[nodiscard]] static Result<KeyWriter> Begin(OutputFile out, KeyFacts facts);

  /// Adds an entry, not less than the last one; an equal one is ignored. Its ordinal has at most the bits of the facts.
  /// Errors: kIo.
  [[nodiscard]] Result<void> Add(const KeyEntry& entry);

  /// Writes the rest. Sets `entries`, `keys` and `has_mixed` of the facts; the others are the caller's. Errors: kIo.
  [[nodiscard]] Result<void> Finish(const SealedKind& kind, const IndexOrigin& origin);

  [[nodiscard]] KeyFacts& facts() { return facts_; }

 private:
  KeyWriter(SealedWriter out, KeyFacts facts) : out_(std::move(out)), facts_(std::move(facts)) {}

  [[nodiscard]] Result<void> Flush();

  SealedWriter out_;
  KeyFacts facts_;
  std::optional<KeyEntry> last_;
  std::vector<uint8_t> buffer_;
  std::vector<uint64_t> begins_;  // of the buckets so far
};

}  // namespace ofindex
