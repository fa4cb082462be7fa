#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/record.h"

namespace ofindex {

/// Returns the kind of `payload` by a rule much stricter than "it parses": an Example parses as an OFRecord, and many
/// payloads parse as anything. Accepts only fields of the schema, each in its own form; in a map entry exactly one
/// value and exactly one key, which is text without control characters; at most one kind in a Feature; well-formed
/// lists. Returns kOpaque if no kind passes, and nullopt if `payload` is empty, which is a message of every kind.
///
/// A SequenceExample without feature lists is an Example on the wire, and is reported as one. Allocates nothing, and
/// skips the content of bytes values, so an image costs no more than a number.
[[nodiscard]] std::optional<PayloadKind> StrictPayloadKind(ByteView payload);

/// The votes of a sample of one shard's records on the payload kind. A value.
class PayloadVote {
 public:
  /// Adds the vote of one record, which is its StrictPayloadKind().
  void Add(std::optional<PayloadKind> vote);

  /// Returns the kind of the shard. Votes for Example and SequenceExample count together, as votes for SequenceExample
  /// if there is at least one, otherwise for Example. If they and the votes for OFRecord together outnumber those for
  /// opaque, the larger of the two groups wins; on a tie, and in every other case, returns kOpaque.
  [[nodiscard]] PayloadKind Winner() const;

 private:
  uint64_t opaque_count_ = 0;
  uint64_t example_count_ = 0;
  uint64_t sequence_example_count_ = 0;
  uint64_t of_record_count_ = 0;
};

}  // namespace ofindex
