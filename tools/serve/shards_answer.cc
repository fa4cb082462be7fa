// GET /api/shards: each file, whether it is still what was indexed, and its damage.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tools/serve/answerers.h"
#include "tools/serve/requests/answers.h"
#include "tools/serve/requests/parameters.h"
#include "tools/shell/shard_state.h"

namespace ofindex {
namespace {

constexpr size_t kMaxShards = 10'000;
constexpr size_t kMaxDamage = 1000;  // ranges of a shard that are listed

// The state of a file in words, and why it is not "ok".
struct ToldState {
  std::string_view state = "ok";
  std::string why = {};
};

ToldState StateOf(const Result<std::string>& path, const ShardIdentity& identity) {
  if (!path) return {Name(ShardState::kUnreadable), path.error().message};
  ShardState state = ShardState::kSound;
  const Result<void> sound = LookAtShard(*path, identity, state);
  return sound ? ToldState{} : ToldState{Name(state), sound.error().message};
}

Json DamageDocument(const std::vector<const DamageRow*>& damage) {
  Json ranges = Json::array();
  for (const DamageRow* row : damage) {
    if (ranges.size() == kMaxDamage) break;
    ranges.push_back({{"begin", JsonCount(row->range.begin)},
                      {"end", JsonCount(row->range.end)},
                      {"cause", Name(row->range.reason)}});
  }
  return ranges;
}

Json ShardDocument(size_t number, const ShardRow& row, const ToldState& state) {
  return {{"number", number},
          {"path", JsonText(row.path)},
          {"bytes", JsonCount(row.identity.size)},
          {"records", JsonCount(row.records)},
          {"first", JsonCount(row.first_record)},
          {"format", Name(row.framing)},
          {"payload", Name(row.payload)},
          {"compression", Name(row.compression)},
          {"state", state.state},
          {"why", state.why.empty() ? Json(nullptr) : JsonText(state.why)}};
}

// Damage that the index knows of, by shard.
struct KnownDamage {
  std::map<uint32_t, std::vector<const DamageRow*>> ranges;
  std::map<uint32_t, uint64_t> bad;  // records
};

}  // namespace

Result<Response> AnswerShards(const Asked& asked) {
  OFINDEX_TRY(Parameters::Of(asked.request, {}));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  SharedCatalog& catalog = asked.dataset.catalog();
  OFINDEX_ASSIGN(const std::vector<DamageRow> damage, catalog.Damage());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, catalog.Bad());
  KnownDamage known;
  for (const DamageRow& row : damage) known.ranges[row.shard].push_back(&row);
  for (const BadRow& row : bad) ++known.bad[row.shard];

  const std::vector<ShardRow>& shards = catalog.shards();
  Json documents = Json::array();
  for (uint32_t s = 0; s < shards.size() && documents.size() < kMaxShards; ++s) {
    if (question->progress().cancel) return tl::unexpected(question->Explain(Interrupted().value()));
    const Result<std::string> path = asked.dataset.dataset().reader().ShardPath(shards[s].file);
    ToldState state = StateOf(path, shards[s].identity);
    const uint64_t bad_records = known.bad[s];
    if (state.state == "ok" && (bad_records != 0 || !known.ranges[s].empty())) {
      state = {"damaged", StrCat(Counted(bad_records, "bad record"), ", ", Counted(known.ranges[s].size(), "range"),
                                 " without records")};
    }
    Json document = ShardDocument(s, shards[s], state);
    document["bad"] = bad_records;
    document["damage"] = DamageDocument(known.ranges[s]);
    documents.push_back(std::move(document));
  }
  for (const ShardRow& row : catalog.gone()) {
    if (documents.size() == kMaxShards) break;
    Json document = ShardDocument(documents.size(), row, {"missing", StrCat("gone since generation ", row.gone)});
    document["number"] = nullptr;
    document["bad"] = 0;
    document["damage"] = Json::array();
    documents.push_back(std::move(document));
  }
  return JsonAnswer({{"shards", std::move(documents)}, {"all", shards.size() + catalog.gone().size()}});
}

}  // namespace ofindex
