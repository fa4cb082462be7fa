#include "fuzz/index/grown_dataset.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/memory_file.h"
#include "index/build/builder.h"
#include "index/update/updater.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {

const GrownDataset& GrownDataset::Get() {
  static const GrownDataset dataset;
  return dataset;
}

GrownDataset::GrownDataset() : folder_(std::filesystem::temp_directory_path() / "ofindex-fuzz-XXXXXX") {
  Expect(::mkdtemp(folder_.data()) != nullptr, "no folder can be made in TMPDIR");
  std::filesystem::create_directory(folder_ + "/train");
  AddShard("part-0");
  WriteFile("notes.txt", "no records");
  const std::vector<std::string>& payloads = SmallDataset::Get().payloads();
  WriteFile("part-1", ShardBytes(Framing::kTfRecord, {payloads.begin() + 30, payloads.begin() + 45}));
  WriteFile("part-2", ShardBytes(Framing::kTfRecord, {payloads.begin() + 60, payloads.begin() + 75}));
  Progress progress;
  BuildOptions options;
  options.data = {folder_ + "/train"};
  options.threads = 1;
  options.columns =
      ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "label", "name", "raw", "score"}};
  options.durability = AtomicFile::Durability::kCached;
  Expect(BuildIndex(options, progress).has_value(), "an index cannot be built");
  stages_[0] = Open(0);
  for (size_t i = 1; i < kStages; ++i) {
    if (i == 1) AddShard("part-1");
    if (i == 1) AddShard("part-2");
    if (i == 2) std::filesystem::remove(folder_ + "/train/part-1");
    UpdateOptions update;
    update.index = index();
    update.prune = i == 3;
    update.threads = 1;
    update.durability = AtomicFile::Durability::kCached;
    Expect(UpdateIndex(update, progress).has_value(), "an index cannot be updated");
    stages_[i] = Open(i);
  }
}

GrownDataset::~GrownDataset() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void GrownDataset::AddShard(const char* name) const {
  std::filesystem::copy_file(StrCat(SmallDataset::Get().data(), "/", name), StrCat(folder_, "/train/", name),
                             std::filesystem::copy_options::overwrite_existing);
}

void GrownDataset::WriteFile(const char* name, const std::string& bytes) const {
  WriteFileAt(StrCat(folder_, "/train/", name), AsBytes(bytes));
}

// An update replaces the index, so each stage has a copy of it.
GrownDataset::Stage GrownDataset::Open(size_t number) const {
  const std::string path = StrCat(folder_, "/stage-", number, ".ofidx");
  std::filesystem::copy_file(index(), path);
  const auto snapshot = Snapshot::Open(path, {.columns = {.threads = 1}});
  Expect(snapshot.has_value(), "an updated index cannot be opened");
  const auto catalog = (*snapshot)->Catalog().value();
  return {.columns = (*snapshot)->Columns().value(),
          .generations = catalog->generations(),
          .history = ShardHistory::Of(*catalog).value()};
}

}  // namespace ofindex
