#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/catalog/catalog.h"
#include "index/catalog/shard_files.h"
#include "index/keys/key_file.h"
#include "index/keys/key_paths.h"
#include "query/columns/snapshot.h"
#include "tools/options/attachments.h"
#include "tools/report/key_report.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/shown_paths.h"
#include "tools/shell/table.h"
#include "tools/show/feature_rows.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

// Everything that an index says about its dataset, except its blocks.
struct Info {
  std::string path;
  uint64_t index_bytes = 0;
  DatasetFacts facts;
  int64_t generation = 0;
  std::vector<ShardRow> shards;
  std::vector<ShardRow> gone;
  std::vector<FeatureRow> features;
  std::vector<BadRow> bad;
  std::vector<DamageRow> damage;
  std::vector<SkippedFile> skipped;
  std::vector<KeyFile> keys;
  std::vector<std::string> stale_keys;  // what is wrong with each
};

// Adds the keys next to the index, and what is wrong with those that cannot be used.
Result<void> AddKeys(const std::shared_ptr<const IndexFile>& index, Info& info) {
  OFINDEX_ASSIGN(const std::vector<std::string> paths, KeyFilesOf(index->place()));
  for (const std::string& path : paths) {
    Result<KeyFile> key = KeyFile::OpenBeside(index, path);
    if (key) {
      info.keys.push_back(std::move(*key));
    } else {
      info.stale_keys.push_back(key.error().message);
    }
  }
  return {};
}

Result<Info> ReadInfo(const std::string& name, const Context& context) {
  Info info;
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(name, OpeningOptions(context)));
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot->Catalog());
  info.path = snapshot->path();
  info.index_bytes = snapshot->index()->size();
  info.facts = catalog->facts();
  info.generation = catalog->generations().back().number;
  info.shards = catalog->shards();
  info.gone = catalog->gone();
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot->Columns());
  info.features = store->features();
  OFINDEX_ASSIGN(info.bad, catalog->Bad());
  OFINDEX_ASSIGN(info.damage, catalog->Damage());
  OFINDEX_ASSIGN(info.skipped, catalog->Skipped());
  OFINDEX_TRY(AddKeys(snapshot->index(), info));
  return info;
}

Json JsonGone(const std::vector<ShardRow>& gone) {
  Json array = Json::array();
  for (const ShardRow& shard : gone) {
    array.push_back({{"path", JsonText(shard.path)}, {"records", shard.records}, {"since", shard.gone}});
  }
  return array;
}

Json JsonKeysOf(const Info& info) {
  std::vector<KeyReport> keys;
  for (const KeyFile& key : info.keys) keys.push_back({.path = key.path(), .facts = key.facts(), .bytes = key.size()});
  return JsonKeys(keys);
}

Json ToJson(const Info& info) {
  return {{"schema", "ofindex.info/1"},
          {"index", JsonText(info.path)},
          {"id", ToHex(info.facts.id)},
          {"format_version", kFormatVersion},
          {"generation", info.generation},
          {"records", info.facts.records},
          {"ordinals", info.facts.ordinals},
          {"payload_bytes", info.facts.payload_bytes},
          {"data_bytes", info.facts.data_bytes},
          {"index_bytes", info.index_bytes},
          {"checked", Name(info.facts.checked)},
          {"shards", JsonShards(info.shards)},
          {"gone", JsonGone(info.gone)},
          {"features", JsonFeatureRows(info.features)},
          {"keys", JsonKeysOf(info)},
          {"bad", JsonBad(info.bad, info.shards)},
          {"damage", JsonDamage(info.damage, info.shards)},
          {"skipped", JsonSkipped(info.skipped)}};
}

// Describes what is gone in one line: "1,234 records in 3 shards, since generation 5".
std::string GoneText(const std::vector<ShardRow>& gone) {
  uint64_t since = gone.front().gone;
  for (const ShardRow& shard : gone) since = std::min(since, shard.gone);
  return StrCat(Counted(GoneRecords(gone), "record"), " in ", Counted(gone.size(), "shard"), ", since generation ",
                since, " (`ofindex update --prune` drops them; ordinals move)");
}

Result<void> PrintTotals(const Info& info, Output& out) {
  const DatasetFacts& facts = info.facts;
  OFINDEX_TRY(
      out.Line(StrCat("index     ", Printable(info.path), "  (", FormatBytes(static_cast<double>(info.index_bytes)),
                      ", id ", ToHex(facts.id).substr(0, 16), ")")));
  OFINDEX_TRY(out.Line(StrCat("records   ", FormatCount(facts.records))));
  uint64_t readable = 0;
  for (const ShardRow& shard : info.shards) readable += shard.readable_bytes();
  const auto bytes = [](uint64_t count) { return FormatBytes(static_cast<double>(count)); };
  const std::string inflated = AnyCompressed(info.shards) ? bytes(readable) + ", inflated from " : "";
  OFINDEX_TRY(out.Line(StrCat("payload   ", bytes(facts.payload_bytes), " of ", inflated, bytes(facts.data_bytes),
                              " in ", Counted(info.shards.size(), "shard"))));
  if (!info.gone.empty()) OFINDEX_TRY(out.Line(StrCat("gone      ", GoneText(info.gone))));
  return out.Line(StrCat("checked   ", facts.checked == Checked::kPayloads ? "framing and every payload" : "framing"));
}

Result<int> ShowInfo(const std::string& name, const Context& context) {
  OFINDEX_ASSIGN(Info info, ReadInfo(name, context));
  Output& out = Output::Standard();
  if (context.json) {
    OFINDEX_TRY(out.Line(Dump(ToJson(info))));
    return 0;
  }
  const ShownPaths shown(info.path);
  info.shards = shown.In(std::move(info.shards));
  info.skipped = shown.In(std::move(info.skipped));
  OFINDEX_TRY(PrintTotals(info, out));
  OFINDEX_TRY(out.Line(""));
  const bool compressed = AnyCompressed(info.shards);
  std::vector<std::string> chunk_metadata = {"records", "bytes", "format", "payload", "shard"};
  if (compressed) chunk_metadata.insert(chunk_metadata.begin() + 2, {"compression", "inflated"});
  Table table(chunk_metadata);
  for (const ShardRow& shard : info.shards) {
    std::vector<std::string> cells = {FormatCount(shard.records), FormatCount(shard.identity.size),
                                      std::string(Name(shard.framing)), std::string(Name(shard.payload)),
                                      Printable(shard.path)};
    if (compressed) {
      cells.insert(cells.begin() + 2, {std::string(Name(shard.compression)), FormatCount(shard.readable_bytes())});
    }
    table.Add(cells);
  }
  OFINDEX_TRY(table.Print(out));
  if (!info.features.empty()) {
    OFINDEX_TRY(out.Line(""));
    OFINDEX_TRY(FeatureTableOf(info.features, info.facts.records).Print(out));
  }
  for (const KeyFile& key : info.keys) {
    OFINDEX_TRY(out.Line(Describe(KeyReport{.path = key.path(), .facts = key.facts(), .bytes = key.size()})));
  }
  for (const std::string& stale : info.stale_keys) OFINDEX_TRY(out.Line(StrCat("stale   ", stale)));
  for (const DamageRow& damage : info.damage) OFINDEX_TRY(out.Line(StrCat("damage  ", Describe(damage, info.shards))));
  for (const BadRow& bad : info.bad) OFINDEX_TRY(out.Line(StrCat("bad     ", Describe(bad, info.shards))));
  for (const SkippedFile& file : info.skipped) {
    OFINDEX_TRY(out.Line(StrCat("skipped ", Printable(file.path), ": ", Printable(file.reason))));
  }
  if (info.facts.skipped > info.skipped.size()) {
    OFINDEX_TRY(out.Line(StrCat("skipped ", Counted(info.facts.skipped - info.skipped.size(), "more file"))));
  }
  return 0;
}

}  // namespace

void AddInfo(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "info", "Totals, shards and damage, from the index alone", Formats::kJson);
  auto name = std::make_shared<std::string>();
  verb.AddArgument("INDEX", *name, "The index, or the DATA that it is named after").Required();
  AddAttachments(verb, context);
  verb.Runs([name, &context] { return ShowInfo(*name, context); });
}

}  // namespace ofindex
