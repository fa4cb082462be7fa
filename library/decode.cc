#include <concepts>
#include <cstring>
#include <optional>
#include <utility>

#include <ofindex/decode.h>

#include "base/text.h"
#include "library/convert.h"
#include "library/internals.h"
#include "query/decoding/batch_decoder.h"
#include "query/decoding/cast.h"

namespace ofindex::v1 {
namespace {

static_assert(static_cast<int>(DataType::kBool) == static_cast<int>(ofindex::DataType::kBool));
static_assert(static_cast<int>(DataType::kUint8) == static_cast<int>(ofindex::DataType::kUint8));
static_assert(static_cast<int>(DataType::kFloat16) == static_cast<int>(ofindex::DataType::kFloat16));
static_assert(static_cast<int>(DataType::kBfloat16) == static_cast<int>(ofindex::DataType::kBfloat16));
static_assert(static_cast<int>(DataType::kFloat32) == static_cast<int>(ofindex::DataType::kFloat32));
static_assert(static_cast<int>(DataType::kBytes) == static_cast<int>(ofindex::DataType::kBytes));

// Returns `value` as an item of `T`; nullopt if it does not fit.
template <typename T>
std::optional<std::vector<uint8_t>> ItemOf(const auto& value) {
  T item;
  if constexpr (!std::integral<T>) {
    if (!Cast(value, item)) return std::nullopt;
  } else if constexpr (std::integral<std::decay_t<decltype(value)>>) {
    if (!std::in_range<T>(value)) return std::nullopt;
    item = static_cast<T>(value);
  } else {
    return std::nullopt;
  }
  std::vector<uint8_t> bytes(sizeof item);
  std::memcpy(bytes.data(), &item, sizeof item);
  return bytes;
}

std::optional<std::vector<uint8_t>> ItemOf(DataType type, const auto& value) {
  switch (type) {
    case DataType::kBool: {
      auto item = ItemOf<uint8_t>(value);
      return item && item->front() <= 1 ? item : std::nullopt;
    }
    case DataType::kInt8: return ItemOf<int8_t>(value);
    case DataType::kInt16: return ItemOf<int16_t>(value);
    case DataType::kInt32: return ItemOf<int32_t>(value);
    case DataType::kInt64: return ItemOf<int64_t>(value);
    case DataType::kUint8: return ItemOf<uint8_t>(value);
    case DataType::kUint16: return ItemOf<uint16_t>(value);
    case DataType::kUint32: return ItemOf<uint32_t>(value);
    case DataType::kUint64: return ItemOf<uint64_t>(value);
    case DataType::kFloat16: return ItemOf<Float16>(value);
    case DataType::kBfloat16: return ItemOf<Bfloat16>(value);
    case DataType::kFloat32: return ItemOf<float>(value);
    case DataType::kFloat64: return ItemOf<double>(value);
    case DataType::kBytes: return std::nullopt;
  }
  return std::nullopt;
}

// Sets the default of `spec`. Returns false if it does not fit the type.
bool SetFill(const FeatureSpec& from, ofindex::FeatureSpec& spec) {
  if (std::holds_alternative<std::monostate>(from.fill)) return true;
  if (const auto* const text = std::get_if<std::string>(&from.fill)) {
    spec.fill_bytes = {*text};
    return from.type == DataType::kBytes;
  }
  const auto* const integer = std::get_if<int64_t>(&from.fill);
  spec.fill = integer != nullptr ? ItemOf(from.type, *integer) : ItemOf(from.type, std::get<double>(from.fill));
  return spec.fill.has_value();
}

ofindex::FeatureSpec::Form FormOf(FeatureSpec::Form form) {
  switch (form) {
    case FeatureSpec::Form::kFixed: return ofindex::FeatureSpec::Form::kFixed;
    case FeatureSpec::Form::kRagged: return ofindex::FeatureSpec::Form::kRagged;
    case FeatureSpec::Form::kRaw: return ofindex::FeatureSpec::Form::kRaw;
  }
  return ofindex::FeatureSpec::Form::kFixed;
}

}  // namespace

struct FeatureBatch::State {
  DecodedBatch batch = {};
  std::vector<FeatureColumn> columns = {};
};

struct FeatureDecoder::State {
  BatchDecoder decoder;
  std::vector<FeatureSpec> specs;
};

FeatureBatch::FeatureBatch() : state_(std::make_shared<const State>()) {}
FeatureBatch::FeatureBatch(std::shared_ptr<const State> state) : state_(std::move(state)) {}
FeatureBatch::FeatureBatch(const FeatureBatch&) = default;
FeatureBatch& FeatureBatch::operator=(const FeatureBatch&) = default;
FeatureBatch::~FeatureBatch() = default;

uint64_t FeatureBatch::records() const { return state_->batch.records; }
const std::vector<FeatureColumn>& FeatureBatch::columns() const { return state_->columns; }

FeatureDecoder::FeatureDecoder(std::shared_ptr<const State> state) : state_(std::move(state)) {}
FeatureDecoder::FeatureDecoder(const FeatureDecoder&) = default;
FeatureDecoder& FeatureDecoder::operator=(const FeatureDecoder&) = default;
FeatureDecoder::~FeatureDecoder() = default;

Result<FeatureDecoder> FeatureDecoder::Create(const std::vector<FeatureSpec>& specs) {
  return Attempt([&]() -> ofindex::Result<FeatureDecoder> {
    std::vector<ofindex::FeatureSpec> taken;
    for (const FeatureSpec& spec : specs) {
      ofindex::FeatureSpec& one = taken.emplace_back();
      one.name = spec.name;
      one.form = FormOf(spec.form);
      one.type = static_cast<ofindex::DataType>(spec.type);
      one.values = spec.values;
      if (!SetFill(spec, one)) {
        return Fail(ofindex::ErrorCode::kUsage,
                    StrCat("feature '", Printable(spec.name), "': the fill value does not fit the type"));
      }
      one.truncate = spec.truncate;
      one.pad = spec.pad;
    }
    OFINDEX_ASSIGN(BatchDecoder decoder, BatchDecoder::Of(std::move(taken)));
    return FeatureDecoder(std::make_shared<const State>(State{std::move(decoder), specs}));
  });
}

Result<FeatureBatch> FeatureDecoder::Decode(const Dataset& dataset, std::span<const uint64_t> ordinals,
                                            unsigned threads) const {
  return Attempt([&]() -> ofindex::Result<FeatureBatch> {
    OFINDEX_ASSIGN(const std::shared_ptr<const ReaderSource> source, Internals::Of(dataset)->Source());
    const auto decoded = std::make_shared<FeatureBatch::State>();
    OFINDEX_ASSIGN(decoded->batch, state_->decoder.Decode(*source, ordinals, threads));
    for (size_t i = 0; i < state_->specs.size(); ++i) {
      const FeatureArray& array = decoded->batch.arrays[i];
      decoded->columns.push_back({.type = state_->specs[i].type,
                                  .form = state_->specs[i].form,
                                  .count = array.count,
                                  .data = {array.values.data(), array.values.size()},
                                  .offsets = array.offsets,
                                  .rows = array.rows});
    }
    return FeatureBatch(decoded);
  });
}

}  // namespace ofindex::v1
