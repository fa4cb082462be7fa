#include <ofindex/decode.h>

#include <utility>

#include "library/convert.h"
#include "library/internals.h"
#include "query/decoding/batch_decoder.h"

namespace ofindex::v1 {
namespace {

static_assert(static_cast<int>(DataType::kBool) == static_cast<int>(ofindex::DataType::kBool));
static_assert(static_cast<int>(DataType::kUint8) == static_cast<int>(ofindex::DataType::kUint8));
static_assert(static_cast<int>(DataType::kFloat32) == static_cast<int>(ofindex::DataType::kFloat32));
static_assert(static_cast<int>(DataType::kBytes) == static_cast<int>(ofindex::DataType::kBytes));

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
  std::vector<ofindex::FeatureSpec> taken;
  for (const FeatureSpec& spec : specs) {
    ofindex::FeatureSpec& one = taken.emplace_back();
    one.name = spec.name;
    one.form = FormOf(spec.form);
    one.type = static_cast<ofindex::DataType>(spec.type);
    one.values = spec.values;
    one.truncate = spec.truncate;
    one.pad = spec.pad;
  }
  auto decoder = Public(BatchDecoder::Of(std::move(taken)));
  if (!decoder) return tl::unexpected(std::move(decoder).error());
  return FeatureDecoder(std::make_shared<const State>(State{std::move(*decoder), specs}));
}

Result<FeatureBatch> FeatureDecoder::Decode(const Dataset& dataset, std::span<const uint64_t> ordinals,
                                            unsigned threads) const {
  return Attempt([&]() -> ofindex::Result<FeatureBatch> {
    OFINDEX_ASSIGN(const PayloadSource* const source, Internals::Of(dataset)->OpenSource());
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
