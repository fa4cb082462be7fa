#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/threads.h"
#include "tests/query/keys/keyed_set.h"

namespace ofindex {
namespace {

TEST_CASE("one key answers many threads at once") {
  BuiltSet set;
  std::vector<std::string> payloads;
  for (int i = 0; i < 5'000; ++i) payloads.push_back(KeyedExample({"id-" + std::to_string(i)}, {}));
  set.Put("part-0", ShardBytes(set.framing(), payloads));
  set.Build(set.Options());
  MadeKey(set.index(), {.name = "name"});
  const OpenedKey opened(set.index(), "name");
  std::atomic<int> wrong{0};
  RunOnThreads(4, [&](unsigned thread) {
    std::vector<std::string> texts;
    std::vector<LookupKey> keys;
    for (int i = 0; i < 5'000; ++i) texts.push_back("id-" + std::to_string((i * 7 + static_cast<int>(thread)) % 6'000));
    for (const std::string& text : texts) keys.emplace_back(AsBytes(text));
    std::vector<uint64_t> found(keys.size());
    if (!opened.key().Find(keys, found)) ++wrong;
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t ordinal = std::stoull(texts[i].substr(3));
      if (found[i] != (ordinal < 5'000 ? ordinal : KeyLookup::kMissing)) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace ofindex
