#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/feature_data.h"

namespace ofindex {

/// In which order the features of a payload stand on the wire. Readers do not care; bytes that are compared do.
enum class EntryOrder { kSorted, kAsAdded };

/// Builds payloads of one kind from values, one payload after the other: the bytes that protobuf's deterministic
/// serializer writes, sorted by name and packed, so that the same values are the same bytes. Its memory grows to the
/// largest payload and stays. Moves, does not copy; not thread-safe.
class PayloadBuilder {
 public:
  /// `kind` is kExample, kSequenceExample or kOfRecord.
  explicit PayloadBuilder(PayloadKind kind, EntryOrder order = EntryOrder::kSorted);

  [[nodiscard]] PayloadKind kind() const { return kind_; }

  /// Begins the next payload.
  void Clear();

  /// Adds a feature; of a SequenceExample, one of its context. Copies name and values.
  /// Errors: kFeature  the payload's message has no such kind, an int32 is beyond 32 bits, or the name is not UTF-8,
  /// which proto3 asks of the names of Examples; the payload is as it was before.
  [[nodiscard]] Result<void> Add(ByteView name, const FeatureData& values);

  /// Adds a feature list, with its steps. Errors: as Add; kFeature  the payload is no SequenceExample.
  [[nodiscard]] Result<void> AddList(ByteView name, std::span<const FeatureData> steps);

  /// The payload of all that was added, valid until the next Clear or the end of the builder. Nothing may be added
  /// afterwards. Errors: kFeature  two features have one name; kLimit  the payload is longer than kMaxMessageBytes.
  [[nodiscard]] Result<ByteView> Finish();

 private:
  // The entries of one map, as they go onto the wire. Before them is room for the tag and length of the message that
  // holds them, which is known when all of them are.
  struct Map {
    struct Entry {
      size_t begin, end;  // in `bytes`
      size_t name_begin, name_end;
    };
    std::vector<uint8_t> bytes;  // of which `used` count: what was grown once is not cleared again and again
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
  std::vector<uint8_t> spare_;  // where entries are put in order
};

}  // namespace ofindex
