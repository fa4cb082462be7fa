#include "proto/encode/payload_builder.h"

#include <optional>
#include <utility>
#include <vector>

#include <ofindex/writer.h>

#include "library/convert.h"

namespace ofindex::v1 {

struct PayloadBuilder::State {
  ofindex::PayloadBuilder builder;
  std::vector<FeatureData> steps = {};  // of the list that is added
  std::optional<Error> failed = {};     // the first error since Clear

  void Note(ofindex::Result<void> added) {
    if (!added && !failed) failed = Public(std::move(added).error());
  }
};

PayloadBuilder::PayloadBuilder(PayloadKind kind)
    : state_(std::make_unique<State>(State{ofindex::PayloadBuilder(Engine(kind))})) {}
PayloadBuilder::PayloadBuilder(PayloadBuilder&& other) noexcept = default;
PayloadBuilder& PayloadBuilder::operator=(PayloadBuilder&& other) noexcept = default;
PayloadBuilder::~PayloadBuilder() = default;

PayloadBuilder& PayloadBuilder::Clear() {
  state_->builder.Clear();
  state_->failed.reset();
  return *this;
}

PayloadBuilder& PayloadBuilder::Add(std::string_view name, const FeatureValues& values) {
  state_->Note(state_->builder.Add(AsBytes(name), Engine(values)));
  return *this;
}

PayloadBuilder& PayloadBuilder::AddInt32(std::string_view name, int32_t value) {
  const int64_t integer = value;
  return Add(name, FeatureValues::Int32s(std::span(&integer, 1)));
}

PayloadBuilder& PayloadBuilder::AddInt64(std::string_view name, int64_t value) {
  return Add(name, FeatureValues::Int64s(std::span(&value, 1)));
}

PayloadBuilder& PayloadBuilder::AddFloat(std::string_view name, float value) {
  return Add(name, FeatureValues::Floats(std::span(&value, 1)));
}

PayloadBuilder& PayloadBuilder::AddDouble(std::string_view name, double value) {
  return Add(name, FeatureValues::Doubles(std::span(&value, 1)));
}

PayloadBuilder& PayloadBuilder::AddBytes(std::string_view name, std::string_view value) {
  const ByteView bytes = AsBytes(value);
  return Add(name, FeatureValues::Bytes(std::span(&bytes, 1)));
}

PayloadBuilder& PayloadBuilder::AddList(std::string_view name, std::span<const FeatureValues> steps) {
  state_->steps.clear();
  for (const FeatureValues& step : steps) state_->steps.push_back(Engine(step));
  state_->Note(state_->builder.AddList(AsBytes(name), state_->steps));
  return *this;
}

Result<ByteView> PayloadBuilder::Finish() {
  if (state_->failed) return tl::unexpected(*state_->failed);
  return Attempt([&] { return state_->builder.Finish(); });
}

}  // namespace ofindex::v1
