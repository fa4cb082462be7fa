#include <utility>

#include <ofindex/sample.h>

#include "library/convert.h"
#include "library/internals.h"
#include "query/sampling/block_choice.h"
#include "query/sampling/open_sampler.h"
#include "query/sampling/reading_facts.h"

namespace ofindex::v1 {
namespace {

ofindex::Tail TailOf(Tail tail) {
  switch (tail) {
    case Tail::kExact: return ofindex::Tail::kExact;
    case Tail::kPad: return ofindex::Tail::kPad;
    case Tail::kDrop: return ofindex::Tail::kDrop;
  }
  return ofindex::Tail::kExact;
}

ofindex::Result<SampleRequest> RequestOf(const SampleOptions& options) {
  SampleRequest request;
  if (options.selection) request.view = Internals::Of(*options.selection);
  request.weights = options.weights;
  request.balance = options.balance;
  request.temperature = options.temperature;
  if (options.block && *options.block != 0) request.block = BlockShape{.run = *options.block};
  request.seed = options.seed;
  request.epoch = options.epoch;
  request.slice = {.rank = options.rank, .world = options.world_size};
  request.tail = TailOf(options.tail);
  if (!options.state.empty()) {
    OFINDEX_ASSIGN(request.state, ParseSamplerState(options.state));
  }
  return request;
}

}  // namespace

struct Sampler::Impl {
  ofindex::Sampler sampler;
};

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sampler::Sampler(const Sampler& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Sampler& Sampler::operator=(const Sampler& other) {
  *impl_ = *other.impl_;
  return *this;
}
Sampler::~Sampler() = default;

Result<Sampler> Sampler::Open(const Dataset& dataset, const SampleOptions& options) {
  return Attempt([&]() -> ofindex::Result<Sampler> {
    const OpenedDataset& opened = *Internals::Of(dataset);
    OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> columns, opened.Columns());
    OFINDEX_ASSIGN(const std::vector<GenerationRow> generations, opened.Generations());
    OFINDEX_ASSIGN(SampleRequest request, RequestOf(options));
    if (options.block && *options.block == 0 && request.state) {
      request.block = BlockOf(*request.state);
    } else if (options.block && *options.block == 0) {
      OFINDEX_ASSIGN(const ReadingFacts facts, ReadingFactsOf(opened.dataset()));
      const BlockChoice choice = ChooseBlock(facts);
      if (choice.shape.run > 1) request.block = choice.shape;
    }
    ShardHistory history;
    if (request.state) {
      OFINDEX_ASSIGN(history, opened.History());
    }
    OFINDEX_ASSIGN(ofindex::Sampler sampler, OpenSampler(columns, generations, request, {}, history));
    return Sampler(std::make_unique<Impl>(Impl{std::move(sampler)}));
  });
}

size_t Sampler::Next(std::span<uint64_t> out) { return impl_->sampler.Next(out); }
void Sampler::SetEpoch(uint64_t epoch) { impl_->sampler.SetEpoch(epoch); }
uint64_t Sampler::epoch() const { return impl_->sampler.epoch(); }
uint64_t Sampler::epoch_size() const { return impl_->sampler.epoch_size(); }
uint64_t Sampler::position() const { return impl_->sampler.position(); }
uint64_t Sampler::left() const { return impl_->sampler.left(); }
std::string Sampler::State() const { return ToJson(impl_->sampler.State()); }

std::optional<StateChanges> Sampler::Changes() const {
  const std::optional<ofindex::StateChanges>& changes = impl_->sampler.changes();
  if (!changes) return std::nullopt;
  return StateChanges{changes->new_records, changes->gone_records, changes->from, changes->to, changes->begun_anew};
}

}  // namespace ofindex::v1
