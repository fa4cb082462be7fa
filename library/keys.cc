#include <ofindex/keys.h>

#include "base/text.h"
#include "index/keys/key_builder.h"
#include "library/convert.h"
#include "library/internals.h"
#include "query/keys/key_lookup.h"

namespace ofindex::v1 {

struct Key::State {
  std::shared_ptr<const OpenedDataset> dataset;  // outlives the lookup
  KeyLookup lookup;
};

namespace {

static_assert(Key::kMissing == KeyLookup::kMissing);

template <typename Value>
Result<void> FindEach(const KeyLookup& lookup, std::span<const Value> values, std::span<uint64_t> ordinals) {
  if (values.size() != ordinals.size()) {
    return Misuse(StrCat("room for ", ordinals.size(), " ordinals; expected as many as values: ", values.size()));
  }
  return Attempt([&] {
    const std::vector<LookupKey> keys(values.begin(), values.end());
    return lookup.Find(keys, ordinals);
  });
}

}  // namespace

Key::Key(std::shared_ptr<const State> state) : state_(std::move(state)) {}
Key::Key(const Key&) = default;
Key& Key::operator=(const Key&) = default;
Key::~Key() = default;

Result<Key> Key::Open(const Dataset& dataset, const std::string& feature) {
  return Attempt([&]() -> ofindex::Result<Key> {
    const std::shared_ptr<const OpenedDataset>& opened = Internals::Of(dataset);
    OFINDEX_ASSIGN(std::shared_ptr<const ReaderSource> records, opened->Source());
    OFINDEX_ASSIGN(KeyLookup lookup, KeyLookup::Open(opened->index(), std::move(records), feature));
    return Key(std::make_shared<const State>(State{opened, std::move(lookup)}));
  });
}

uint64_t Key::size() const { return state_->lookup.facts().keys; }
bool Key::has_bytes() const { return state_->lookup.facts().has_bytes; }
bool Key::has_integers() const { return state_->lookup.facts().has_integers; }

Result<void> Key::Find(std::span<const ByteView> values, std::span<uint64_t> ordinals) const {
  return FindEach(state_->lookup, values, ordinals);
}

Result<void> Key::Find(std::span<const int64_t> values, std::span<uint64_t> ordinals) const {
  return FindEach(state_->lookup, values, ordinals);
}

Result<std::vector<uint64_t>> Key::FindAll(ByteView value) const {
  return Attempt([&] { return state_->lookup.FindAll(value); });
}

Result<std::vector<uint64_t>> Key::FindAll(int64_t value) const {
  return Attempt([&] { return state_->lookup.FindAll(value); });
}

Result<void> MakeKey(const Dataset& dataset, const std::string& feature, unsigned threads, Progress* progress) {
  return Attempt([&]() -> ofindex::Result<void> {
    ofindex::Progress unobserved;
    const OpenedDataset& opened = *Internals::Of(dataset);
    OFINDEX_ASSIGN(const std::shared_ptr<const OffsetMap> map, opened.dataset().snapshot()->Map());
    OFINDEX_TRY(BuildKey(opened.index(), map, {.name = feature, .threads = threads},
                         progress == nullptr ? unobserved : Internals::Of(*progress)));
    return {};
  });
}

}  // namespace ofindex::v1
