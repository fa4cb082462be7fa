#include "index/merge/carry_columns.h"

#include <memory>
#include <utility>

#include "index/catalog/catalog_reader.h"

namespace ofindex {
namespace {

// Returns what attached columns have to know of the index that lies at `written`, and is called `index`.
Result<AttachedIndex> AttachedIndexAt(const std::string& written, const std::string& index) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(written));
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::OpenAny(file));
  return ReadAttachedIndex(catalog, index, index);
}

}  // namespace

Result<std::optional<CarriedColumns>> CarryColumns(const std::vector<CarriedSource>& sources,
                                                   const std::string& written, const std::string& index,
                                                   const std::vector<FeatureRow>& features) {
  if (sources.empty()) return std::optional<CarriedColumns>();
  OFINDEX_ASSIGN(const AttachedIndex attached, AttachedIndexAt(written, index));
  return CarriedColumns::Write(sources, attached, features);
}

// Publishing the index has given its lock away, and another process may have carried the columns further by now.
Result<void> SettleColumns(const std::string& index) {
  const Result<AtomicFile> lock = AtomicFile::Begin(index, AtomicFile::IfLocked::kFail);
  if (!lock && lock.error().code == ErrorCode::kLocked) return {};
  if (!lock) return tl::unexpected(lock.error());
  OFINDEX_ASSIGN(const AttachedIndex attached, AttachedIndexAt(index, index));
  return SettleBeside(attached);
}

}  // namespace ofindex
