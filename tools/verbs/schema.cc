#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "query/columns/snapshot.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"
#include "tools/show/feature_rows.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

Result<int> ShowSchema(const std::string& name, const Context& context) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(name));
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot->Catalog());
  const std::vector<FeatureRow>& features = catalog->features();
  Output& out = Output::Standard();
  if (!context.json) {
    OFINDEX_TRY(FeatureTableOf(features, catalog->facts().records).Print(out));
    return 0;
  }
  OFINDEX_TRY(out.Line(Dump({{"schema", "ofindex.schema/1"},
                             {"index", JsonText(snapshot->path())},
                             {"records", catalog->facts().records},
                             {"columns", catalog->facts().columns},
                             {"features_dropped", catalog->facts().features_dropped},
                             {"features", JsonFeatureRows(features)}})));
  return 0;
}

}  // namespace

void AddSchema(CLI::App& app, Context& context, VerbBody& body) {
  CLI::App* verb =
      AddVerb(app, context, "schema", "Features: kinds, numbers of records and values, SQL columns", Formats::kJson);
  auto name = std::make_shared<std::string>();
  verb->add_option("INDEX", *name, "The index, or the DATA that it is named after")->required();
  verb->callback([name, &context, &body] { body = [name, &context] { return ShowSchema(*name, context); }; });
}

}  // namespace ofindex
