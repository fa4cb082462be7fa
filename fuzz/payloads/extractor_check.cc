#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "fuzz/expect.h"
#include "fuzz/payloads/payload_checks.h"
#include "proto/extract/extractor.h"
#include "proto/extract/field_plan.h"
#include "tests/proto/extracting.h"

namespace ofindex {
namespace {

// Returns the outcome of `extractor` for `payload`. Extracts three times: twice in memory, where the second pass knows
// the names, and once in pieces of up to `spare` bytes more than requested. If the outcomes differ, returns all three,
// starting with "first ".
std::string ExtractEveryWay(Extractor& extractor, ByteView payload, uint64_t spare,
                            const std::vector<std::string>& whole) {
  const std::string first = SpellOutcome(extractor, extractor.Extract(payload), whole);
  const std::string again = SpellOutcome(extractor, extractor.Extract(payload), whole);
  SmallPages pages(AsText(payload), spare);
  const std::string paged = SpellOutcome(extractor, extractor.Extract(pages, payload.size()), whole);
  if (first == again && first == paged) return first;
  return StrCat("first ", first, "\nagain ", again, "\nby pages ", paged);
}

// Extracts everything that the built-in messages have, and compares it with what the decoder finds.
void ExtractBuiltIn(ByteView payload, PayloadKind kind, uint64_t spare) {
  const std::vector<std::string> whole = {"a", "l[]"};
  Extractor extractor(FieldPlan::Of(kind), whole);
  ExpectSame(ExtractEveryWay(extractor, payload, spare, whole), SpellDecoded(AsText(payload), kind, whole),
             "what is extracted and what is decoded");
}

}  // namespace

void CheckExtractor(ByteView input) {
  if (input.empty()) return;
  const auto kind = static_cast<PayloadKind>(input[0] % 4);
  const uint64_t spare = input[0] / 4;
  const std::vector<uint8_t> payload(input.begin() + 1, input.end());  // at its exact size, for AddressSanitizer
  if (kind != PayloadKind::kOpaque) return ExtractBuiltIn(payload, kind, spare);
  const std::vector<std::string> columns = {"file.message_type.field.number", "file.name", "a", "b.c", "b.b.b.c"};
  for (const char* message : {"M", "p.M", "p.M.N", "google.protobuf.FileDescriptorSet"}) {
    for (const std::string& column : columns) {
      const Result<FieldPlan> plan = FieldPlan::OfMessage(payload, message, {column});
      if (!IsThere(plan)) continue;
      Extractor extractor(*plan, columns);
      const std::string got = ExtractEveryWay(extractor, payload, spare, columns);
      Expect(!got.starts_with("first "), got);
    }
  }
}

}  // namespace ofindex
