#include "tools/sampling/mix_text.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "tools/shell/json.h"

namespace ofindex {
namespace {

std::string Fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Returns the average number of records per read, which is 1 for a global shuffle.
double RecordsToARead(const MixQuality& quality) {
  return static_cast<double>(quality.positions) / static_cast<double>(std::max<uint64_t>(quality.reads, 1));
}

}  // namespace

Json JsonMix(const MixQuality& quality) {
  return {{"schema", "ofindex.sample/1"},
          {"positions", quality.positions},
          {"batch", quality.batch},
          {"classes", quality.classes},
          {"classes_per_batch", quality.per_batch},
          {"classes_per_batch_perfect", quality.per_batch_perfect},
          {"classes_per_batch_buffer_1024", quality.per_batch_buffer},
          {"neighbours", quality.neighbours},
          {"reads", quality.reads}};
}

Result<void> PrintMix(const MixQuality& quality, const std::string& column, const Context& context, Output& out) {
  if (context.json || context.jsonl) {
    OFINDEX_TRY(out.Line(Dump(JsonMix(quality))));
    return out.Flush();
  }
  OFINDEX_TRY(out.Line(StrCat("values of ", Printable(column), ": ", FormatCount(quality.classes), " in ",
                              FormatCount(quality.positions), " positions")));
  OFINDEX_TRY(out.Line(StrCat("in a batch of ", quality.batch, ":    ", Fixed(quality.per_batch, 2),
                              " of them; a perfect shuffle ", Fixed(quality.per_batch_perfect, 2), ", a buffer of ",
                              MixQuality::kBufferRecords, " ", Fixed(quality.per_batch_buffer, 2))));
  OFINDEX_TRY(out.Line(StrCat("equal neighbours:      ", Fixed(quality.neighbours, 4), " (perfect 0, sorted 1)")));
  OFINDEX_TRY(out.Line(StrCat("records per read:      ", Fixed(RecordsToARead(quality), 1))));
  return out.Flush();
}

}  // namespace ofindex
