#include "index/merge/carry_columns.h"

#include <memory>
#include <utility>

#include "index/catalog/catalog_reader.h"

namespace ofindex {

Result<std::optional<CarriedColumns>> CarryColumns(const std::vector<CarriedSource>& sources,
                                                   const std::string& written, const std::string& index,
                                                   const std::vector<FeatureRow>& features) {
  if (sources.empty()) return std::optional<CarriedColumns>();
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(written));
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::OpenAny(file));
  AttachedIndex attached{.path = index, .shown = index, .generations = {}, .blocks = {}};
  OFINDEX_ASSIGN(attached.generations, catalog.Generations());
  OFINDEX_ASSIGN(const std::vector<BlockRow> blocks, catalog.ReadBlockMetadata());
  for (const BlockRow& block : blocks) attached.blocks.push_back({block.first_record, block.records});
  return CarriedColumns::Write(sources, std::move(attached), features);
}

}  // namespace ofindex
