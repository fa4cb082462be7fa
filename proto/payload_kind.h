#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/record.h"

namespace ofindex {

/// What `payload` is, by a rule much stricter than "it parses", which an Example does as OFRecord and many a payload as
/// anything: only the fields of the schema, each in its own form; in a map entry exactly one value and exactly one key,
/// which is text without control characters; at most one kind in a Feature; lists well-formed. kOpaque if no kind of
/// ours passes; nothing if `payload` is empty, which is a message of every kind.
///
/// A SequenceExample without feature lists is an Example on the wire, and is called one. Allocates nothing, and skips
/// the content of bytes values, so an image costs no more than a number.
[[nodiscard]] std::optional<PayloadKind> StrictPayloadKind(ByteView payload);

/// Votes of a sample of one shard's records on what their payloads are. A value.
class PayloadVote {
 public:
  /// Counts one record; `vote` is its StrictPayloadKind().
  void Add(std::optional<PayloadKind> vote);

  /// The kind that most records voted for, provided that more records are of some kind than opaque; else kOpaque, as
  /// for no vote at all and for a tie. One SequenceExample makes SequenceExamples of all Examples beside it.
  [[nodiscard]] PayloadKind Winner() const;

 private:
  uint64_t opaque_count_ = 0;
  uint64_t example_count_ = 0;
  uint64_t sequence_example_count_ = 0;
  uint64_t of_record_count_ = 0;
};

}  // namespace ofindex
