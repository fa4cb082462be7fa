#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/record.h"

namespace ofindex {

/// Returns the kind of `payload` by a rule much stricter than "it parses": an Example parses as an OFRecord, and many
/// payloads parse as anything. A payload passes if it has only fields of the schema, each with its own wire type; each
/// map entry has exactly one value and exactly one key, which is text without control characters; each Feature has at
/// most one kind; and all lists are well-formed. Returns kOpaque if the payload passes for no kind, and nullopt if it
/// is empty, since that is a message of every kind.
///
/// A SequenceExample without feature lists is an Example on the wire, and is reported as one. Allocates nothing, and
/// skips the content of bytes values, so an image costs no more than a number.
[[nodiscard]] std::optional<PayloadKind> StrictPayloadKind(ByteView payload);

/// The votes of a sample of one shard's records on the payload kind. A value type.
class PayloadVote {
 public:
  /// Adds the vote of one record, which is its StrictPayloadKind().
  void Add(std::optional<PayloadKind> vote);

  /// Returns the kind of the shard. Votes for Example and SequenceExample are added up; they count for SequenceExample
  /// if it has at least one vote, otherwise for Example. If that sum and the votes for OFRecord together outnumber the
  /// votes for opaque, the larger of the two wins. On a tie, and in every other case, returns kOpaque.
  [[nodiscard]] PayloadKind Winner() const;

 private:
  uint64_t opaque_count_ = 0;
  uint64_t example_count_ = 0;
  uint64_t sequence_example_count_ = 0;
  uint64_t of_record_count_ = 0;
};

}  // namespace ofindex
