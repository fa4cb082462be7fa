// Builds the index of record files, and reads from them: facts, one record with its features, and many records at once.
//
//   build_and_read DATA

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <ofindex/build.h>
#include <ofindex/dataset.h>

namespace {

int Fail(const ofindex::Error& error) {
  std::cerr << error.message << '\n';
  if (!error.hint.empty()) std::cerr << "hint: " << error.hint << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: build_and_read DATA\n";
    return 2;
  }
  // Reads the shards once. If their index is up to date, it is left alone.
  const auto report = ofindex::BuildIndex({.data = {argv[1]}});
  if (!report) return Fail(report.error());
  for (const ofindex::Damage& damage : report->info.damage) {
    std::cerr << damage.shard << ": bytes " << damage.begin << " to " << damage.end << ": " << damage.reason << '\n';
  }

  const auto dataset = ofindex::Dataset::Open(report->info.index);
  if (!dataset) return Fail(dataset.error());
  std::cout << dataset->size() << " records in " << report->info.shards.size() << " shards\n";
  if (dataset->size() == 0) return 0;

  const auto features = dataset->ReadFeatures(dataset->size() - 1);
  if (!features) return Fail(features.error());
  for (const ofindex::Feature& feature : features->all()) {
    std::cout << "last record: " << feature.name << ": " << feature.values.size() << ' '
              << ofindex::Name(feature.values.kind()) << '\n';
  }

  // A thousand records at a time. The batch keeps its memory.
  uint64_t bytes = 0;
  ofindex::RecordBatch batch;
  std::vector<uint64_t> ordinals;
  for (uint64_t first = 0; first < dataset->size(); first += 1000) {
    ordinals.resize(std::min<uint64_t>(1000, dataset->size() - first));
    std::iota(ordinals.begin(), ordinals.end(), first);
    if (const auto read = dataset->ReadBatch(ordinals, batch); !read) return Fail(read.error());
    bytes += batch.bytes().size();
  }
  std::cout << bytes << " bytes of payload\n";
  return 0;
}
