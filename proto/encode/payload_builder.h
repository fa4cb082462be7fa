#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/feature_data.h"

namespace ofindex {

/// The order of features on the wire. Readers ignore it; byte comparisons do not.
enum class EntryOrder { kSorted, kAsAdded };

/// Builds payloads of one kind from values, one after another. The bytes are those of protobuf's deterministic
/// serializer, sorted by name and packed, so the same values always give the same bytes. Memory grows to the largest
/// payload and is kept. Movable, not copyable; not thread-safe.
class PayloadBuilder {
 public:
  /// `kind` is kExample, kSequenceExample or kOfRecord.
  explicit PayloadBuilder(PayloadKind kind, EntryOrder order = EntryOrder::kSorted);

  [[nodiscard]] PayloadKind kind() const { return kind_; }

  /// Starts the next payload.
  void Clear();

  /// Adds a feature (for a SequenceExample, a context feature). Copies name and values.
  /// Errors: kFeature if the message cannot hold values of this kind, if an int32 is out of range, or if the name is
  /// not UTF-8, which proto3 requires in Examples; the payload is then unchanged.
  [[nodiscard]] Result<void> Add(ByteView name, const FeatureData& values);

  /// Adds a feature list with its steps. Errors: as Add; kFeature if the payload is not a SequenceExample.
  [[nodiscard]] Result<void> AddList(ByteView name, std::span<const FeatureData> steps);

  /// Returns the payload, which is valid until the next Clear or the end of the builder's life.
  /// Nothing may be added until then. Errors: kFeature if two features have the same name; kLimit if the payload is
  /// longer than kMaxMessageBytes.
  [[nodiscard]] Result<ByteView> Finish();

 private:
  // The encoded entries of one map. The space in front of them is reserved for the tag and length of the message that
  // holds them, because that length is known only when all entries are added.
  struct Map {
    struct Entry {
      size_t begin, end;  // in `bytes`
      size_t name_begin, name_end;
    };
    std::vector<uint8_t> bytes;  // only the first `used` bytes are valid; never shrinks, so memory is not cleared again
    size_t used = 0;
    std::vector<Entry> entries;

    void Clear();
    uint8_t* AddEntry(ByteView name, uint64_t value_bytes);
    [[nodiscard]] ByteView NameOf(const Entry& entry) const;
    [[nodiscard]] bool InOrder() const;
    [[nodiscard]] Result<void> Settle(EntryOrder order, std::vector<uint8_t>& spare);
    [[nodiscard]] ByteView content() const;
    [[nodiscard]] ByteView Wrap(uint32_t field);
  };

  [[nodiscard]] Result<void> Check(ByteView name, const FeatureData& values) const;

  PayloadKind kind_;
  EntryOrder order_;
  Map features_;
  Map lists_;
  std::vector<uint8_t> spare_;  // scratch for sorting entries
};

}  // namespace ofindex
