#include "python/src/records/decode_one.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "proto/features.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/indices.h"
#include "python/src/interpreter/errors.h"
#include "python/src/records/records.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

template <typename To, typename From>
nb::object Numbers(std::span<const From> values) {
  return ArrayOf<To>(std::vector<To>(values.begin(), values.end()));
}

nb::object Int32s(std::span<const int64_t> values) {
  std::vector<int32_t> narrow;
  for (const int64_t value : values) narrow.push_back(static_cast<int32_t>(value));
  return ArrayOf<int32_t>(std::move(narrow));
}

nb::object ValuesOf(const DecodedRecord& record, FeatureValue value) {
  switch (value.kind) {
    case FeatureKind::kNone: return nb::none();
    case FeatureKind::kBytes: {
      nb::list list;
      for (const ByteView bytes : record.bytes(value)) list.append(BytesOf(bytes));
      return list;
    }
    case FeatureKind::kFloat: return Numbers<float>(record.floats(value));
    case FeatureKind::kDouble: return Numbers<double>(record.doubles(value));
    case FeatureKind::kInt32: return Int32s(record.integers(value));
    case FeatureKind::kInt64: return Numbers<int64_t>(record.integers(value));
  }
  return nb::none();
}

nb::dict DictOf(const DecodedRecord& record) {
  nb::dict features;
  for (const Feature& feature : record.features()) {
    features[TextOf(AsText(feature.name))] = ValuesOf(record, feature.value);
  }
  for (const FeatureList& list : record.feature_lists()) {
    nb::list steps;
    for (const FeatureValue& step : record.steps(list)) steps.append(ValuesOf(record, step));
    features[TextOf(StrCat(AsText(list.name), "[]"))] = steps;
  }
  return features;
}

nb::dict DecodeOne(nb::handle_t<Records> self, nb::handle number) {
  Records& records = *nb::inst_ptr<Records>(self);
  const Rows& rows = records.rows(self.ptr());
  const uint64_t ordinal = rows.At(IndexOf(number, rows.size()));
  const RecordReader& reader = records.reader();
  std::vector<uint8_t> payload;
  Result<void> read;
  {
    const nb::gil_scoped_release release;
    read = reader.Copy(ordinal, payload);
  }
  Unwrap(std::move(read));
  const RecordLocation location = Unwrap(reader.Locate(ordinal));
  const MapShard shard = Unwrap(reader.map().Shard(location.shard));
  if (shard.payload == PayloadKind::kOpaque) {
    Raise(ErrorCode::kFeature, StrCat("record ", ordinal, " has no features: its payload is opaque"),
          "ds[i] gives its bytes");
  }
  DecodedRecord record;
  if (auto decoded = record.Decode(payload, shard.payload); !decoded) {
    Raise(decoded.error().code,
          StrCat(Printable(shard.path), "@", location.offset, ": record ", ordinal, ": ", decoded.error().message),
          "ds[i] gives its bytes as they are");
  }
  return DictOf(record);
}

}  // namespace

void BindDecodeOne(nb::module_& m) { m.def("record", &DecodeOne, "records"_a, "number"_a); }

}  // namespace ofindex::python
