#include "python/src/loading/decoder.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/threads.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/indices.h"
#include "python/src/convert/objects.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/records.h"
#include "query/images/image_decoder.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

// Approximate decoding time on one core: per record, and per byte. What the values cost is learnt (Learn).
constexpr double kRecordNs = 150;
constexpr double kByteNs = 0.2;
constexpr double kImageByteNs = 20;

// Work worth a thread of its own, and work that takes long enough that Ctrl-C must interrupt it.
constexpr double kWorthAThreadNs = 5e5;
constexpr double kLongNs = 50e6;

FeatureSpec::Form FormOf(const std::string& form) {
  if (form == "fixed") return FeatureSpec::Form::kFixed;
  if (form == "ragged") return FeatureSpec::Form::kRagged;
  return form == "image" ? FeatureSpec::Form::kMade : FeatureSpec::Form::kRaw;
}

// Converts (gray, height, width, fit, layout), which ofindex._features has checked.
std::shared_ptr<const BytesDecoder> ImageDecoderOf(const nb::tuple& image) {
  const auto fit = nb::cast<std::string>(image[3]);
  const auto layout = nb::cast<std::string>(image[4]);
  return Unwrap(
      ImageDecoder::Of({.width = nb::cast<uint32_t>(image[2]),
                        .height = nb::cast<uint32_t>(image[1]),
                        .gray = nb::cast<bool>(image[0]),
                        .fit = fit == "crop" ? ImageFit::kCrop : (fit == "pad" ? ImageFit::kPad : ImageFit::kStretch),
                        .layout = layout == "chw" ? ImageShape::Layout::kPlanes : ImageShape::Layout::kRows}));
}

// Converts (name, form, dtype, count, default, truncate, pad, image), as ofindex._features builds it.
FeatureSpec SpecOf(nb::handle object) {
  const auto tuple = nb::cast<nb::tuple>(object);
  FeatureSpec spec;
  spec.name = NameOf(tuple[0]);
  spec.form = FormOf(nb::cast<std::string>(tuple[1]));
  const auto dtype = nb::cast<std::string>(tuple[2]);
  const auto type = ParseDataType(dtype);
  if (!type) Raise(ErrorCode::kUsage, StrCat("dtype '", dtype, "' is not known"));
  spec.type = *type;
  spec.values = nb::cast<uint64_t>(tuple[3]);
  const nb::object fill = tuple[4];
  if (nb::isinstance<nb::bytes>(fill)) {
    const std::string bytes = NameOf(fill);
    spec.fill.emplace(bytes.begin(), bytes.end());
  } else if (!fill.is_none()) {
    spec.fill_bytes.emplace();
    for (nb::handle value : nb::cast<nb::list>(fill)) spec.fill_bytes->push_back(NameOf(value));
  }
  spec.truncate = nb::cast<bool>(tuple[5]);
  spec.pad = nb::cast<bool>(tuple[6]);
  const nb::object image = tuple[7];
  if (!image.is_none()) spec.decoder = ImageDecoderOf(nb::cast<nb::tuple>(image));
  return spec;
}

using Owner = std::shared_ptr<FeatureArray>;

nb::object Values(const Owner& array) {
  const uint8_t* const data = array->values.data();
  const auto view = [&]<typename T>(T) {
    return SharedArray<T>(array, reinterpret_cast<const T*>(data), static_cast<size_t>(array->count));
  };
  switch (array->type) {
    case DataType::kBool: return view(bool{});
    case DataType::kInt8: return view(int8_t{});
    case DataType::kInt16: return view(int16_t{});
    case DataType::kInt32: return view(int32_t{});
    case DataType::kInt64: return view(int64_t{});
    case DataType::kUint8: return view(uint8_t{});
    case DataType::kUint16: return view(uint16_t{});
    case DataType::kUint32: return view(uint32_t{});
    case DataType::kUint64: return view(uint64_t{});
    case DataType::kFloat16:
    case DataType::kBfloat16: return view(uint16_t{});  // batch_of makes what numpy has for them
    case DataType::kFloat32: return view(float{});
    case DataType::kFloat64: return view(double{});
    case DataType::kBytes: return SharedArray<uint8_t>(array, data, static_cast<size_t>(array->values.size()));
  }
  return nb::none();
}

nb::object Offsets(const Owner& array, const std::vector<int64_t>& offsets) {
  return offsets.empty() ? nb::none() : SharedArray<int64_t>(array, offsets.data(), offsets.size());
}

// Corrects the estimate of the next requests by what this one took. Few records say little.
void Learn(const Decoder& decoder, size_t records, double estimated_ns, double ns) {
  if (records < 64) return;
  const double measured = std::clamp(ns / estimated_ns, 0.1, 100.0);
  decoder.slowness = (decoder.slowness + measured) / 2;
}

// If `threads` is 0, chooses their number by the amount of work.
nb::list Decode(const Decoder& decoder, const Payloads& payloads, const std::vector<uint64_t>& ordinals,
                unsigned threads) {
  const double byte_ns = decoder.makes_images ? kImageByteNs : kByteNs;
  const double estimated = static_cast<double>(ordinals.size()) * (kRecordNs + payloads.payload_bytes * byte_ns);
  const double ns = estimated * decoder.slowness;
  const double worth = std::clamp(ns / kWorthAThreadNs, 1.0, static_cast<double>(ProcessorCount()));
  const unsigned count = threads == 0 ? static_cast<unsigned>(worth) : threads;
  const auto decode = [&](const std::atomic<bool>* cancel) {
    return decoder.decoder->Decode(*payloads.source, ordinals, count, cancel);
  };
  if (ns > kLongNs) {
    return ArraysOf(RunInterruptibly([&](Progress& progress) { return decode(&progress.cancel); }));
  }
  Result<DecodedBatch> batch;
  {
    nb::gil_scoped_release release;
    const auto begin = std::chrono::steady_clock::now();
    batch = decode(nullptr);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    if (batch) Learn(decoder, ordinals.size(), estimated, taken.count() * std::min(count, ProcessorCount()));
  }
  return ArraysOf(Unwrap(std::move(batch)));
}

// Decodes payloads that are `bytes` objects of Python.
nb::list DecodeBytes(const Decoder& decoder, const nb::sequence& payloads, const std::string& kind, unsigned threads) {
  const auto payload_kind = ParsePayloadKind(kind);
  if (!payload_kind || *payload_kind == PayloadKind::kOpaque) {
    Raise(ErrorCode::kUsage, StrCat("payload='", kind, "': expected 'example', 'sequence_example' or 'ofrecord'"));
  }
  const nb::object held = nb::steal(PySequence_Tuple(payloads.ptr()));
  if (!held.is_valid()) throw nb::python_error();
  std::vector<ByteView> views;
  std::vector<uint64_t> ordinals;
  for (nb::handle payload : held) {
    if (!PyBytes_Check(payload.ptr())) {
      PyErr_Format(PyExc_TypeError, "payload %zu is %s; expected bytes", views.size(), TypeName(payload.ptr()).c_str());
      throw nb::python_error();
    }
    ordinals.push_back(views.size());
    views.push_back(BytesIn(payload.ptr()));
  }
  double bytes = 0;
  for (const ByteView view : views) bytes += static_cast<double>(view.size());
  const double average = views.empty() ? 0 : bytes / static_cast<double>(views.size());
  return Decode(decoder, {std::make_shared<MemoryPayloads>(views, *payload_kind), average}, ordinals, threads);
}

std::shared_ptr<const RecordReader> ReaderOf(const std::shared_ptr<const Source>& source) {
  return {source, &source->dataset.reader()};
}

// Returns the payloads of one dataset, or of several, whose ordinals are numbered consecutively through all of them.
Payloads PayloadsOf(const std::vector<std::shared_ptr<Source>>& sources) {
  std::vector<std::shared_ptr<const RecordReader>> readers;
  for (const auto& source : sources) readers.push_back(ReaderOf(source));
  double bytes = 0;
  double records = 0;
  for (const auto& reader : readers) {
    bytes += static_cast<double>(reader->map().header().payload_bytes);
    records += static_cast<double>(reader->live());
  }
  const double average = records == 0 ? 0 : bytes / records;
  if (readers.size() == 1) return {Unwrap(ReaderSource::Of(readers[0])), average, readers[0]};
  return {Unwrap(JoinedSource::Of(readers)), average};
}

}  // namespace

nb::list ArraysOf(DecodedBatch batch) {
  nb::list arrays;
  for (FeatureArray& one : batch.arrays) {
    const auto array = std::make_shared<FeatureArray>(std::move(one));
    arrays.append(nb::make_tuple(Values(array), Offsets(array, array->offsets), Offsets(array, array->rows)));
  }
  return arrays;
}

void BindDecoder(nb::module_& m) {
  nb::class_<Decoder>(m, "Decoder")
      .def(
          "__init__",
          [](Decoder* self, const nb::list& specs) {
            std::vector<FeatureSpec> taken;
            for (nb::handle spec : specs) taken.push_back(SpecOf(spec));
            const bool makes_images = std::any_of(taken.begin(), taken.end(),
                                                  [](const FeatureSpec& spec) { return spec.decoder != nullptr; });
            new (self)
                Decoder{std::make_shared<BatchDecoder>(Unwrap(BatchDecoder::Of(std::move(taken)))), makes_images};
          },
          "specs"_a)
      .def(
          "decode",
          [](const Decoder& decoder, const Payloads& payloads, nb::handle_t<Records> records, nb::handle numbers,
             unsigned threads) { return Decode(decoder, payloads, OrdinalsOf(records, numbers), threads); },
          "payloads"_a, "records"_a, "numbers"_a, "threads"_a)
      .def(
          "decode_joined",
          [](const Decoder& decoder, const Payloads& payloads, nb::handle ordinals, unsigned threads) {
            return Decode(decoder, payloads, IndicesOf(ordinals, uint64_t{1} << 62), threads);
          },
          "payloads"_a, "ordinals"_a, "threads"_a)
      .def("decode_bytes", &DecodeBytes, "payloads"_a, "kind"_a, "threads"_a);
  nb::class_<Payloads>(m, "Payloads");
  m.def("payloads_of", &PayloadsOf, "sources"_a);
}

}  // namespace ofindex::python
