#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/build.h>
#include <ofindex/bytes.h>
#include <ofindex/dataset.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

/// A key of a dataset: finds records by a value of one feature. It is a file next to the index, made by
/// BuildOptions::keys, by MakeKey or by `ofindex key`, and has only hashes of the values: every record that a hash
/// leads to is read and compared, so no answer is wrong.
///
/// A handle: copies share the open key, which keeps the dataset open. Immutable and thread-safe; usable after fork.
class OFINDEX_API Key {
 public:
  /// The ordinal of a value that no record has.
  static constexpr uint64_t kMissing = ~uint64_t{0};

  /// Opens the key of `dataset` by `feature`. Takes the same time for any number of records.
  /// Errors: kNotFound if there is none; kStale if it belongs to another build of the index; kIndex, kIo, kLimit.
  [[nodiscard]] static Result<Key> Open(const Dataset& dataset, const std::string& feature);

  Key(const Key&);
  Key& operator=(const Key&);
  ~Key();

  /// Number of distinct values.
  [[nodiscard]] uint64_t size() const;

  /// True if some values are byte strings, or integers.
  [[nodiscard]] bool has_bytes() const;
  [[nodiscard]] bool has_integers() const;

  /// Sets ordinals[i] to the lowest ordinal of a record that has values[i] among the values of its feature, or to
  /// kMissing. Many values in one call are much faster than one call each.
  ///
  /// Errors: kUsage if the spans differ in size, or if values are byte strings and those of the key are integers, or
  /// the other way round; kDamage if a record to compare is marked bad, and the dataset was not opened with allow_bad;
  /// kStale if a shard or the key was changed; kIndex if the key is damaged; kIo, kLimit.
  [[nodiscard]] Result<void> Find(std::span<const ByteView> values, std::span<uint64_t> ordinals) const;
  [[nodiscard]] Result<void> Find(std::span<const int64_t> values, std::span<uint64_t> ordinals) const;

  /// Returns the ordinals of all records that have `value` among the values of the feature, ascending; none is no
  /// error. Errors: those of Find.
  [[nodiscard]] Result<std::vector<uint64_t>> FindAll(ByteView value) const;
  [[nodiscard]] Result<std::vector<uint64_t>> FindAll(int64_t value) const;

 private:
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit Key(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

/// Makes the key of `dataset` by `feature`, or makes it again: from a column if there is one that has all values, else
/// by reading that feature of every record. `threads` is the number that may compute at once; 0: one per processor.
/// The key appears whole or not at all, and open datasets find it. Reports to `progress` unless it is null.
///
/// Errors: kUsage if no record has the feature, or if its values are floats; kStale if the index or a shard was
/// replaced; kLocked if another process makes the same key; kIo, kLimit, kInterrupted.
[[nodiscard]] OFINDEX_API Result<void> MakeKey(const Dataset& dataset, const std::string& feature, unsigned threads = 0,
                                               Progress* progress = nullptr);

}  // namespace ofindex::v1
