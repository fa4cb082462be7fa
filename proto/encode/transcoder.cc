#include "proto/encode/transcoder.h"

#include "base/text.h"
#include "proto/message_fields.h"

namespace ofindex {

Transcoder::Transcoder(PayloadKind from, PayloadKind to, Lossy lossy)
    : from_(from), to_(to), lossy_(lossy), builder_(to == PayloadKind::kOpaque ? PayloadKind::kExample : to) {}

Result<Transcoder> Transcoder::Create(PayloadKind from, PayloadKind to, Lossy lossy) {
  const bool lists_lost = from == PayloadKind::kSequenceExample && to != from;
  if (from != to && (from == PayloadKind::kOpaque || to == PayloadKind::kOpaque || lists_lost)) {
    return Fail(ErrorCode::kUsage, StrCat("payloads of kind ", Name(from), " cannot be converted to ", Name(to)),
                "use `ofindex cat --to tfrecord` or `--to ofrecord` to reframe payloads unchanged");
  }
  return Transcoder(from, to, lossy);
}

// Returns the feature's values, converted to a kind that the other message type has. They may be stored in floats_,
// which the next call overwrites.
Result<FeatureData> Transcoder::Rehomed(const Feature& feature) {
  FeatureData values = FeatureData::Of(record_, feature.value);
  if (values.kind() == FeatureKind::kNone || FieldOfKind(to_, values.kind()) != 0) return values;
  if (lossy_ == Lossy::kRefuse) {
    return Fail(ErrorCode::kFeature,
                StrCat("feature '", Printable(AsText(feature.name)), "' is of kind ", Name(values.kind()),
                       ", which an Example does not have"),
                "use --lossy allow to convert int32 to int64 and double to float");
  }
  if (values.kind() == FeatureKind::kInt32) return FeatureData::Int64s(values.integers());
  floats_.assign(values.doubles().begin(), values.doubles().end());
  return FeatureData::Floats(floats_);
}

Result<ByteView> Transcoder::Convert(ByteView payload) {
  if (from_ == to_) return payload;
  OFINDEX_TRY(record_.Decode(payload, from_));
  builder_.Clear();
  for (const Feature& feature : record_.features()) {
    OFINDEX_ASSIGN(const FeatureData values, Rehomed(feature));
    OFINDEX_TRY(builder_.Add(feature.name, values));
  }
  return builder_.Finish();
}

}  // namespace ofindex
