#include "index/verify/readable_shard.h"

#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/text.h"
#include "mmap/inflate/inflated_bytes.h"

namespace ofindex {
namespace {

class Rows final : public Checkpoints {
 public:
  explicit Rows(std::vector<CheckpointRow> rows) : rows_(std::move(rows)) {}
  [[nodiscard]] size_t size() const override { return rows_.size(); }
  [[nodiscard]] Result<Checkpoint> At(size_t i) const override { return rows_[i].checkpoint(); }

 private:
  const std::vector<CheckpointRow> rows_;
};

// Objects that must live as long as the bytes are read.
struct Plain {
  explicit Plain(File opened, uint64_t size) : file(std::move(opened)), bytes(file, size) {}
  const File file;
  const FileBytes bytes;
};

struct Compressed {
  Compressed(std::shared_ptr<const File> file, const CompressedFacts& facts, std::vector<CheckpointRow> checkpoints,
             SpanCache& cache, uint32_t number)
      : rows(std::move(checkpoints)), bytes(std::move(file), facts, rows, cache, number) {}
  const Rows rows;
  const InflatedBytes bytes;
};

}  // namespace

Result<std::shared_ptr<const ReadableBytes>> ReadableShard(File file, uint32_t number, const ShardRow& row,
                                                           CatalogReader& catalog, SpanCache& cache) {
  using Bytes = std::shared_ptr<const ReadableBytes>;
  return WithMemory("the checkpoints of a shard", [&]() -> Result<Bytes> {
    if (row.compression == Compression::kNone) {
      const auto plain = std::make_shared<Plain>(std::move(file), row.identity.size);
      return Bytes(plain, &plain->bytes);
    }
    const CompressedFacts facts{
        .compression = row.compression, .file_bytes = row.identity.size, .inflated_bytes = row.inflated_bytes};
    if (!facts.plausible()) {
      return Fail(ErrorCode::kIndex,
                  StrCat(Printable(file.path()), ": the file cannot inflate to the size in the index"));
    }
    std::vector<CheckpointRow> rows;
    OFINDEX_TRY(catalog.ForEachCheckpoint(number, [&](const CheckpointRow& checkpoint) -> Result<void> {
      rows.push_back(checkpoint);
      return {};
    }));
    const auto compressed = std::make_shared<Compressed>(std::make_shared<const File>(std::move(file)), facts,
                                                         std::move(rows), cache, number);
    return Bytes(compressed, &compressed->bytes);
  });
}

}  // namespace ofindex
