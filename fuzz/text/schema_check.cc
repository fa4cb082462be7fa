#include <string>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/text/text_checks.h"
#include "proto/features.h"
#include "tools/packing/json_row.h"
#include "tools/packing/pack_schema.h"
#include "tools/packing/row_builder.h"

namespace ofindex {

void CheckSchema(ByteView bytes) {
  FuzzInput input(bytes);
  const auto kind = static_cast<PayloadKind>(1 + input.Below(3));
  const auto unit = static_cast<TimeUnit>(input.Below(4));
  const std::string both = input.Text();
  const size_t end = std::min(both.find('\n'), both.size());
  const Result<PackSchema> schema = PackSchema::Parse(both.substr(0, end));
  if (!IsThere(schema)) return;
  for (const PackFeature& feature : schema->features) {
    Expect(CheckFeatureName(feature.name, "a feature").has_value(), "a schema with a name that no feature may have");
  }
  // The 64 bytes after a row must be readable.
  const std::string row = both.substr(std::min(end + 1, both.size()));
  const std::string behind = row + std::string(64, '}');
  RowBuilder builder(*schema, kind, unit);
  const auto parser = MakeJsonRowParser();
  for (int i = 0; i < 2; ++i) {
    builder.Clear();
    if (!IsThere(parser->Parse(std::string_view(behind).substr(0, row.size()), builder))) return;
    const Result<ByteView> payload = builder.Finish();
    if (!IsThere(payload)) return;
    DecodedRecord record;
    Expect(record.Decode(*payload, kind).has_value(), "a row was packed that does not decode");
  }
}

}  // namespace ofindex
