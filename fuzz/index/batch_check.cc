#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/index_checks.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/input.h"
#include "mmap/record_batch.h"
#include "mmap/record_reader.h"

namespace ofindex {
namespace {

constexpr size_t kMostInBatch = 300;

// A reader of each kind: the fast path by maps, and the slow one, whose batches are planned.
const std::vector<Dataset>& BatchReaders() {
  static const std::vector<Dataset> readers = [] {
    std::vector<Dataset> all;
    for (const ReaderOptions& options :
         {ReaderOptions{.allow_bad = true}, ReaderOptions{.io = IoMode::kPread, .allow_bad = true}, ReaderOptions{}}) {
      Result<Dataset> dataset = Dataset::Open(SmallDataset::Get().open().snapshot(), options);
      Expect(dataset.has_value(), "the dataset cannot be opened");
      all.push_back(std::move(*dataset));
    }
    return all;
  }();
  return readers;
}

}  // namespace

void CheckBatch(ByteView bytes) {
  FuzzInput input(bytes);
  const std::vector<Dataset>& readers = BatchReaders();
  const RecordReader& reader = readers[input.Below(readers.size())].reader();
  const std::vector<std::string>& payloads = SmallDataset::Get().payloads();
  RecordBatch batch;
  while (!input.empty()) {
    std::vector<uint64_t> ordinals;
    for (size_t n = input.Byte(); ordinals.size() < std::min(n, kMostInBatch) && !input.empty();) {
      const size_t what = input.Byte();
      // Rarely one that does not exist.
      ordinals.push_back(what < 250 ? what % SmallDataset::kRecords : input.Number(8));
    }
    bool all_there = true;
    for (const uint64_t ordinal : ordinals) {
      std::vector<uint8_t> alone;
      const bool there = IsThere(reader.Copy(ordinal, alone));
      Expect(!there || (ordinal < payloads.size() && AsText(alone) == payloads[ordinal]), "record ", ordinal,
             " has other bytes");
      all_there = there && all_there;
    }
    const Result<void> copied = reader.CopyInto(ordinals, batch);
    Expect(IsThere(copied) == all_there, "a batch and its records differ in whether they can be read");
    for (size_t i = 0; copied && i < ordinals.size(); ++i) {
      Expect(AsText(batch[i]) == payloads[ordinals[i]], "record ", ordinals[i], " has other bytes in a batch");
    }
  }
}

}  // namespace ofindex
