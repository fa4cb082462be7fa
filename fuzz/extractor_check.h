#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "proto/extract/extractor.h"
#include "proto/extract/field_plan.h"
#include "tests/proto/extracting.h"

namespace ofindex {

/// Returns the outcome of `extractor` for `payload`. Extracts three times: twice in memory, where the second pass knows
/// the names, and once in pieces of up to `spare` bytes more than requested. If the outcomes differ, returns all three,
/// starting with "first ".
inline std::string ExtractEveryWay(Extractor& extractor, ByteView payload, uint64_t spare,
                                   const std::vector<std::string>& whole) {
  const std::string first = SpellOutcome(extractor, extractor.Extract(payload), whole);
  const std::string again = SpellOutcome(extractor, extractor.Extract(payload), whole);
  SmallPages pages(AsText(payload), spare);
  const std::string paged = SpellOutcome(extractor, extractor.Extract(pages, payload.size()), whole);
  if (first == again && first == paged) return first;
  return StrCat("first ", first, "\nagain ", again, "\nby pages ", paged);
}

/// Checks one fuzzer input: a byte and a payload. The byte modulo 4 selects the payload's type: 1 is an Example, 2 a
/// SequenceExample, 3 an OFRecord, and 0 a FileDescriptorSet, which also serves as the message to extract from. The
/// byte divided by 4 is `spare` of ExtractEveryWay. Returns a description of the fault that was found; empty if there
/// is none.
inline std::string ExtractorFault(ByteView input) {
  if (input.empty()) return "";
  const auto kind = static_cast<PayloadKind>(input[0] % 4);
  const uint64_t spare = input[0] / 4;
  const std::vector<uint8_t> payload(input.begin() + 1, input.end());  // at its exact size, for AddressSanitizer
  if (kind != PayloadKind::kOpaque) {
    const std::vector<std::string> whole = {"a", "l[]"};
    Extractor extractor(FieldPlan::Of(kind), whole);
    const std::string got = ExtractEveryWay(extractor, payload, spare, whole);
    const std::string expected = SpellDecoded(AsText(payload), kind, whole);
    return got == expected ? "" : StrCat("expected ", expected, "\ngot ", got);
  }
  const std::vector<std::string> columns = {"file.message_type.field.number", "file.name", "a", "b.c", "b.b.b.c"};
  for (const char* message : {"M", "p.M", "p.M.N", "google.protobuf.FileDescriptorSet"}) {
    for (const std::string& column : columns) {
      const Result<FieldPlan> plan = FieldPlan::OfMessage(payload, message, {column});
      if (!plan) continue;
      Extractor extractor(*plan, columns);
      const std::string got = ExtractEveryWay(extractor, payload, spare, columns);
      if (got.starts_with("first ")) return got;
    }
  }
  return "";
}

}  // namespace ofindex
