#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "mmap/sealed/sealed_format.h"

namespace ofindex {

// The sections of a key file (mmap/sealed/):
//
//   entries    u64 each, by hash and then by ordinal: in the upper bits a part of the hash, in the lower ones the
//              ordinal
//   directory  u64 per bucket, and one more: the number of the first entry of the bucket
//   facts      64 bytes, then the name of the feature
//
// The bucket of an entry is in the upper bits of its hash; the part that the entry has follows these bits. A bucket has
// some 100 entries, among which the place of a hash is interpolated, so that a lookup touches one or two cache lines of
// the entries, and the directory of 100 million entries takes 8 MB. Rejected: a directory of small buckets, which takes
// ten times as much and misses the cache at each lookup; a hash table with empty slots, which takes more than 10 bytes
// per entry; a perfect hash function, which cannot have several records per key.

inline constexpr std::string_view kKeyMagic = "OFIDXKEY";
inline constexpr uint32_t kKeyVersion = 1;
inline constexpr uint64_t kKeyFactsBytes = 64;
inline constexpr uint64_t kBucketEntries = 128;  ///< at most, on average

enum KeySection : uint32_t { kKeyEntries = 0, kKeyDirectory = 1, kKeyFacts = 2, kKeySections = 3 };

/// The kind of a key file, for the key of feature `name` of the index shown as `index`.
[[nodiscard]] SealedKind KeyKind(const std::string& index, const std::string& name);

/// Says what a key holds. A value type.
struct KeyFacts {
  std::string name;           ///< of the feature
  uint64_t entries = 0;       ///< pairs of a key and a record
  uint64_t keys = 0;          ///< distinct ones
  uint64_t records = 0;       ///< all that are not gone
  uint64_t without = 0;       ///< records without a value, or bad ones
  uint8_t bucket_bits = 0;    ///< upper bits of the hash that give the bucket
  uint8_t hash_bits = 0;      ///< upper bits of the hash that are known, those of the bucket included
  uint8_t ordinal_bits = 0;   ///< lower bits of an entry
  bool has_bytes = false;     ///< some keys are byte strings
  bool has_integers = false;  ///< some keys are integers
  bool has_mixed = false;     ///< some entries with the same part of the hash are of several keys, and do not ascend

  /// Returns the entries beyond the first one of each key.
  [[nodiscard]] uint64_t repeats() const { return entries - keys; }
  [[nodiscard]] uint64_t buckets() const { return uint64_t{1} << bucket_bits; }

  /// Returns the bucket of a hash, and the part of it that its entries have.
  [[nodiscard]] uint64_t Bucket(uint64_t hash) const { return bucket_bits == 0 ? 0 : hash >> (64 - bucket_bits); }
  [[nodiscard]] uint64_t Part(uint64_t hash) const {
    return part_bits() == 0 ? 0 : (hash << bucket_bits) >> (64 - part_bits());
  }

  /// Return the two halves of an entry.
  [[nodiscard]] uint64_t PartOf(uint64_t entry) const { return entry >> ordinal_bits; }
  [[nodiscard]] uint64_t OrdinalOf(uint64_t entry) const { return entry & ((uint64_t{1} << ordinal_bits) - 1); }

  /// Returns the bits of the hash that an entry has.
  [[nodiscard]] unsigned part_bits() const { return static_cast<unsigned>(hash_bits - bucket_bits); }

  [[nodiscard]] std::vector<uint8_t> Encode() const;

  /// Returns false if the bytes make no sense as facts.
  [[nodiscard]] bool Decode(ByteView in);
};

/// Returns facts whose bits are set for `entries` entries with ordinals less than `ordinals`. Keeps at most
/// `max_hash_bits` of each hash.
[[nodiscard]] KeyFacts LayoutFor(uint64_t ordinals, uint64_t entries, uint8_t max_hash_bits = 64);

}  // namespace ofindex
