#include "tools/sampling/sampled_index.h"

#include "index/catalog/catalog_reader.h"
#include "index/catalog/paths.h"

namespace ofindex {

Result<SampledIndex> OpenSampledIndex(const std::string& name, const Context& context) {
  SampledIndex sampled;
  OFINDEX_ASSIGN(const std::string path, ResolveIndex(name));
  OFINDEX_ASSIGN(sampled.opened.index, IndexFile::Open(path));
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(sampled.opened.index));
  OFINDEX_ASSIGN(sampled.generations, catalog.Generations());
  OFINDEX_ASSIGN(sampled.store, ColumnStore::Open(sampled.opened, {.progress = &context.progress}));
  return sampled;
}

}  // namespace ofindex
