#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "fuzz/text/text_checks.h"
#include "proto/features.h"
#include "tools/packing/pack_source.h"

namespace ofindex {
namespace {

// The payloads of a source, or nothing if a row is refused.
std::optional<std::vector<std::string>> PayloadsOf(const PackRequest& request) {
  Progress progress;
  const auto source = OpenPackSource(request, progress);
  if (!IsThere(source)) return std::nullopt;
  std::vector<std::string> payloads;
  DecodedRecord record;
  const Result<void> packed = (*source)->ForEach([&](ByteView payload) -> Result<void> {
    Expect(record.Decode(payload, request.payload).has_value(), "a row was packed that does not decode");
    payloads.emplace_back(AsText(payload));
    return {};
  });
  if (!IsThere(packed)) return std::nullopt;
  Expect(payloads.size() == (*source)->records(), "another number of records than was told");
  return payloads;
}

}  // namespace

void CheckRows(ByteView bytes) {
  static constexpr SourceForm kForms[] = {SourceForm::kCsv, SourceForm::kTsv, SourceForm::kJsonLines};
  FuzzInput input(bytes);
  PackRequest request;
  request.form = kForms[input.Below(3)];
  request.payload = static_cast<PayloadKind>(1 + input.Below(3));
  const MemoryFile file(input.Rest());
  request.sources = {file.path()};
  auto in_order = PayloadsOf(request);
  request.seed = 7;
  auto by_place = PayloadsOf(request);
  Expect(in_order.has_value() == by_place.has_value(), "rows are refused in one order only");
  if (!in_order) return;
  std::sort(in_order->begin(), in_order->end());
  std::sort(by_place->begin(), by_place->end());
  Expect(*in_order == *by_place, "rows in order differ from rows by place");
}

}  // namespace ofindex
