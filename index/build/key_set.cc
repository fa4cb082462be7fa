#include "index/build/key_set.h"

#include <memory>
#include <utility>

#include "index/build/map_builder.h"
#include "index/database/index_file.h"
#include "index/keys/kept_keys.h"
#include "index/keys/key_file.h"
#include "index/keys/key_paths.h"

namespace ofindex {

Result<KeyReport> MakeKey(const std::string& index, const KeyOptions& options, Progress& progress) {
  for (;;) {
    OFINDEX_ASSIGN(const OpenedIndex opened, OpenIndex(index, progress));
    Result<KeyReport> report = BuildKey(opened.index, opened.map, options, progress);
    const bool waits = options.if_locked == AtomicFile::IfLocked::kWait && !progress.cancel;
    if (report || !waits || !opened.index->Replaced()) return report;  // else there is another index by now
  }
}

Result<std::vector<KeyReport>> MakeMissingKeys(const std::string& index, const std::vector<std::string>& names,
                                               const KeyOptions& options, Progress& progress) {
  std::vector<KeyReport> made;
  if (names.empty()) return made;
  OFINDEX_ASSIGN(const OpenedIndex opened, OpenIndex(index, progress));
  KeyOptions of_name = options;
  for (const std::string& name : names) {
    if (KeyFile::Open(opened.index, name)) continue;
    of_name.name = name;
    OFINDEX_ASSIGN(KeyReport report, BuildKey(opened.index, opened.map, of_name, progress));
    made.push_back(std::move(report));
  }
  return made;
}

Result<RefreshedKeys> RefreshKeys(const std::string& index, const KeyOptions& options, Progress& progress) {
  RefreshedKeys keys;
  OFINDEX_ASSIGN(const std::vector<std::string> names, KeyNamesOf(index));
  for (const std::string& name : names) {
    Result<std::vector<KeyReport>> made = MakeMissingKeys(index, {name}, options, progress);
    // Only what is asked for can be wrong usage: the feature.
    if (!made && made.error().code == ErrorCode::kUsage) continue;
    if (!made) return tl::unexpected(std::move(made).error());
    for (KeyReport& report : *made) keys.made.push_back(std::move(report));
  }
  OFINDEX_ASSIGN(keys.dropped, DropStaleKeys(index));
  return keys;
}

Result<std::vector<std::string>> FindKeyDamage(const std::shared_ptr<const IndexFile>& index,
                                               const Progress& progress) {
  OFINDEX_ASSIGN(const std::vector<std::string> paths, KeyFilesOf(index->place()));
  std::vector<std::string> damage;
  for (const std::string& path : paths) {
    const auto check = [&]() -> Result<void> {
      OFINDEX_ASSIGN(const KeyFile key, KeyFile::OpenBeside(index, path));
      return key.CheckAll(progress);
    };
    const Result<void> checked = check();
    if (progress.cancel) return Interrupted();
    if (!checked) damage.push_back(checked.error().message);
  }
  return damage;
}

Result<std::vector<std::string>> DropStaleKeys(const std::string& index) {
  const auto file = IndexFile::Open(index);
  if (!file) return std::vector<std::string>();
  return RemoveStaleKeys(index, (*file)->identity());
}

}  // namespace ofindex
