#include <memory>
#include <string>

#include "query/columns/snapshot.h"
#include "tools/options/attachments.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"
#include "tools/show/feature_rows.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

// Returns what was derived, as the arguments of --derive.
Json DerivedArguments(const DatasetFacts& facts) {
  Json arguments = Json::array();
  for (const std::string& argument : Derivations::ParseText(facts.derive).value_or(Derivations()).Arguments()) {
    arguments.push_back(JsonBytes(AsBytes(argument)));
  }
  return arguments;
}

Result<int> ShowSchema(const std::string& name, const Context& context) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(name, OpeningOptions(context)));
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot->Catalog());
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot->Columns());
  const std::vector<FeatureRow>& features = store->features();
  Output& out = Output::Standard();
  if (!context.json) {
    OFINDEX_TRY(FeatureTableOf(features, catalog->facts().records).Print(out));
    return 0;
  }
  OFINDEX_TRY(out.Line(Dump({{"schema", "ofindex.schema/1"},
                             {"index", JsonText(snapshot->path())},
                             {"records", catalog->facts().records},
                             {"columns", catalog->facts().columns},
                             {"derive", DerivedArguments(catalog->facts())},
                             {"features_dropped", catalog->facts().features_dropped},
                             {"features", JsonFeatureRows(features)}})));
  return 0;
}

}  // namespace

void AddSchema(CommandLine& line, Context& context) {
  Verb verb =
      AddVerb(line, context, "schema", "Features: kinds, numbers of records and values, SQL columns", Formats::kJson);
  auto name = std::make_shared<std::string>();
  verb.AddArgument("INDEX", *name, "The index, or the DATA that it is named after").Required();
  AddAttachments(verb, context);
  verb.Runs([name, &context] { return ShowSchema(*name, context); });
}

}  // namespace ofindex
