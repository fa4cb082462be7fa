#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "fuzz/text/text_checks.h"
#include "proto/features.h"
#include "tools/packing/pack_source.h"
#include "tools/packing/row_files.h"

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

// Takes everything, and counts the values.
class ValueCount final : public RowVisitor {
 public:
  Result<void> List(std::string_view, int) override { return {}; }
  Result<void> Value(std::string_view, const SourceValue&, int) override {
    ++count;
    return {};
  }

  size_t count = 0;
};

// Counts the values of the rows, in order and row by row.
void CountValues(Result<RowFiles> rows) {
  if (!IsThere(rows)) return;
  Expect(rows->CheckUnchanged().has_value(), "a file in memory changes");
  std::vector<RowPlace> places;
  ValueCount in_order;
  const Result<void> all = rows->ForEach(in_order, [&](RowPlace place) -> Result<void> {
    places.push_back(place);
    return {};
  });
  if (!IsThere(all)) return;
  size_t number = 0;
  const Result<void> counted = rows->ForEachPlace([&](RowPlace place) -> Result<void> {
    Expect(number < places.size() && place.offset == places[number++].offset, "a row is in two places");
    return {};
  });
  Expect(IsThere(counted) && number == places.size(), "rows are there only if they are parsed");
  ValueCount by_place;
  for (const RowPlace place : places) {
    const Result<void> taken = rows->At(place, by_place, [](RowPlace) -> Result<void> { return {}; });
    Expect(IsThere(taken), "a row cannot be read again");
  }
  Expect(in_order.count == by_place.count, in_order.count, " values in order, ", by_place.count, " by place");
}

// Reads a table, whose columns may have any names: from a file, and from standard input, which is that file.
void CountValuesOfTable(const MemoryFile& file, RowFormat format) {
  Progress progress;
  CountValues(RowFiles::Open({file.path()}, format, progress, RowNames::kAny));
  BecomeStandardInput(file);
  CountValues(RowFiles::OpenStandardInput(progress));
}

}  // namespace

void CheckRows(ByteView bytes) {
  static constexpr SourceForm kForms[] = {SourceForm::kCsv, SourceForm::kTsv, SourceForm::kJsonLines};
  static constexpr RowFormat kFormats[] = {RowFormat::kCsv, RowFormat::kTsv, RowFormat::kJsonLines};
  FuzzInput input(bytes);
  PackRequest request;
  const size_t form = input.Below(3);
  request.form = kForms[form];
  request.payload = static_cast<PayloadKind>(1 + input.Below(3));
  const MemoryFile file(input.Rest());
  CountValuesOfTable(file, kFormats[form]);
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
