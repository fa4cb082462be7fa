#include "tests/index/update/held_samplers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "query/columns/snapshot.h"
#include "query/sampling/shard_history.h"

namespace ofindex {
namespace {

constexpr const char* kSelection = "_id % 3 = 1";

Result<Sampler> Open(const std::string& path, const SampleRequest& request) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::OpenWithMap(path, {}));
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot->Catalog());
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> columns, snapshot->Columns());
  OFINDEX_ASSIGN(const ShardHistory history, ShardHistory::Of(*catalog));
  return OpenSampler(columns, catalog->generations(), request, {}, history);
}

Sampler MustOpen(const std::string& path, const SampleRequest& request) {
  Result<Sampler> sampler = Open(path, request);
  REQUIRE_MESSAGE(sampler.has_value(), sampler.error().message);
  return std::move(*sampler);
}

std::vector<uint64_t> Rest(Sampler& sampler) {
  std::vector<uint64_t> ordinals(sampler.left());
  ordinals.resize(sampler.Next(ordinals));
  return ordinals;
}

// Returns how many of the records `of` are not in `in`.
uint64_t CountMissing(const HeldSamplers::Payloads& of, const HeldSamplers::Payloads& in) {
  return static_cast<uint64_t>(
      std::count_if(of.begin(), of.end(), [&](const auto& record) { return !in.contains(record.first); }));
}

}  // namespace

void HeldSamplers::Hold(const std::string& path, const IndexContents& contents, std::mt19937_64& random) {
  SampleRequest request{.seed = random(), .epoch = random() % 3};
  if (random() % 3 == 0) request.where = kSelection;
  if (random() % 2 == 0) request.block = BlockShape{.run = 3, .lanes = 2, .window = 2};
  Sampler whole = MustOpen(path, request);
  const std::vector<uint64_t> order = Rest(whole);
  request.slice.world = 1 + random() % 3;
  request.slice.rank = random() % request.slice.world;
  Sampler stopped = MustOpen(path, request);
  std::vector<uint64_t> read(random() % (stopped.left() + 1));
  REQUIRE(stopped.Next(read) == read.size());
  request.state = stopped.State();
  request.slice = {};
  const std::vector<uint64_t> rest(order.begin() + static_cast<ptrdiff_t>(stopped.position()), order.end());
  held_.push_back({.request = std::move(request),
                   .there = PayloadsOf(contents),
                   .epoch = {order.begin(), order.end()},
                   .rest = rest});
}

void HeldSamplers::Resume(const std::string& path, const IndexContents& contents, bool renumbered) {
  const Payloads now = PayloadsOf(contents);
  for (Held& held : held_) {
    held.renumbered = held.renumbered || renumbered;
    CAPTURE(ToJson(*held.request.state));
    const Result<Sampler> sampler = Open(path, held.request);
    const auto is_there = [&](uint64_t ordinal) { return now.contains(ordinal); };
    const bool begun = held.request.state->position != 0;
    if (held.renumbered ? !sampler : begun && !std::all_of(held.epoch.begin(), held.epoch.end(), is_there)) {
      REQUIRE_FALSE(sampler.has_value());
      REQUIRE(sampler.error().code == ErrorCode::kStale);
      ++outcomes_.refused;
      if (held.renumbered) continue;
      const uint64_t gone = CountMissing(held.there, now);
      REQUIRE_MESSAGE(sampler.error().message.find(FormatCount(gone)) != std::string::npos, sampler.error().message);
      continue;
    }
    REQUIRE_MESSAGE(sampler.has_value(), sampler.error().message);
    ++outcomes_.resumed;
    if (begun) CheckRest(held, *sampler, now);
    if (!begun) CheckNextEpoch(held, *sampler, now);
    CheckChanges(held, *sampler, now);
    Sampler next = *sampler;
    next.SetEpoch(sampler->epoch() + 1);
    CheckNextEpoch(held, std::move(next), now);
  }
}

HeldSamplers::Payloads HeldSamplers::PayloadsOf(const IndexContents& contents) {
  Payloads payloads;
  for (const ReadShard& shard : contents.shards) {
    for (const ReadRecord& record : shard.records) payloads.emplace(record.ordinal, record.payload);
  }
  return payloads;
}

// The epoch ends as it would have ended, and its records are the same.
void HeldSamplers::CheckRest(const Held& held, Sampler sampler, const Payloads& now) {
  REQUIRE(Rest(sampler) == held.rest);
  for (const uint64_t ordinal : held.rest) REQUIRE(now.at(ordinal) == held.there.at(ordinal));
}

// A new epoch has each record that is there, and is selected, once.
void HeldSamplers::CheckNextEpoch(const Held& held, Sampler sampler, const Payloads& now) {
  std::vector<uint64_t> read = Rest(sampler);
  std::sort(read.begin(), read.end());
  std::vector<uint64_t> expected;
  for (const auto& [ordinal, payload] : now) {
    if (!held.request.where || ordinal % 3 == 1) expected.push_back(ordinal);
  }
  REQUIRE(read == expected);
}

void HeldSamplers::CheckChanges(const Held& held, const Sampler& sampler, const Payloads& now) {
  if (held.request.where || held.renumbered) return;
  const uint64_t new_records = CountMissing(now, held.there);
  const uint64_t gone_records = CountMissing(held.there, now);
  REQUIRE(sampler.changes().has_value() == (new_records != 0 || gone_records != 0));
  if (!sampler.changes()) return;
  REQUIRE(sampler.changes()->new_records == new_records);
  REQUIRE(sampler.changes()->gone_records == gone_records);
  REQUIRE(sampler.changes()->begun_anew == (held.request.state->position == 0));
}

}  // namespace ofindex
