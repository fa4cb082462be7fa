#include <algorithm>

#include <ofindex/dataset.h>

#include "library/convert.h"
#include "library/internals.h"
#include "library/opened_dataset.h"
#include "mmap/record_batch.h"

namespace ofindex::v1 {
namespace {

ofindex::Result<void> CopyTo(const RecordReader& reader, uint64_t ordinal, std::vector<uint8_t>& out) {
  return reader.CopyTo(ordinal, [&out](uint64_t length) {
    out.reserve(std::max<uint64_t>(length, 1));  // null would mean that there is no memory
    out.resize(length);
    return out.data();
  });
}

}  // namespace

struct RecordBatch::State {
  ofindex::RecordBatch batch;
};

RecordBatch::RecordBatch() = default;
RecordBatch::~RecordBatch() = default;

RecordBatch::RecordBatch(RecordBatch&& other) noexcept
    : state_(std::move(other.state_)),
      bytes_(std::exchange(other.bytes_, nullptr)),
      ends_(std::exchange(other.ends_, {})) {}

RecordBatch& RecordBatch::operator=(RecordBatch&& other) noexcept {
  RecordBatch taken(std::move(other));
  std::swap(state_, taken.state_);
  std::swap(bytes_, taken.bytes_);
  std::swap(ends_, taken.ends_);
  return *this;
}

Dataset::Dataset(std::shared_ptr<const OpenedDataset> opened) : opened_(std::move(opened)) {}
Dataset::Dataset(const Dataset&) = default;
Dataset& Dataset::operator=(const Dataset&) = default;
Dataset::~Dataset() = default;

Result<Dataset> Dataset::Open(const std::string& name, const OpenOptions& options) {
  return Attempt([&]() -> ofindex::Result<Dataset> {
    OFINDEX_ASSIGN(auto opened, OpenedDataset::Open(name, options));
    return Dataset(std::move(opened));
  });
}

uint64_t Dataset::size() const { return opened_->reader().size(); }

uint64_t Dataset::live_size() const { return opened_->reader().live(); }

const std::string& Dataset::index_path() const { return opened_->dataset().index_path(); }

Result<DatasetInfo> Dataset::Info() const {
  return Attempt([&] { return opened_->Info(); });
}

Result<RecordLocation> Dataset::Locate(uint64_t ordinal) const {
  return Attempt([&]() -> ofindex::Result<RecordLocation> {
    OFINDEX_ASSIGN(const ofindex::RecordLocation found, opened_->reader().Locate(ordinal));
    OFINDEX_ASSIGN(const uint32_t shard, opened_->ShardOfPiece(found.shard));
    return RecordLocation{.shard = shard, .offset = found.offset, .length = found.length};
  });
}

Result<std::vector<uint8_t>> Dataset::Read(uint64_t ordinal) const {
  return Attempt([&]() -> ofindex::Result<std::vector<uint8_t>> {
    std::vector<uint8_t> payload;
    OFINDEX_TRY(CopyTo(opened_->reader(), ordinal, payload));
    return payload;
  });
}

Result<void> Dataset::Read(uint64_t ordinal, std::vector<uint8_t>& out) const {
  return Attempt([&] { return CopyTo(opened_->reader(), ordinal, out); });
}

Result<RecordView> Dataset::View(uint64_t ordinal) const {
  return Attempt([&]() -> ofindex::Result<RecordView> {
    OFINDEX_ASSIGN(const ByteView bytes, opened_->reader().View(ordinal));
    return RecordView(opened_, bytes);
  });
}

Result<void> Dataset::ReadBatch(std::span<const uint64_t> ordinals, RecordBatch& out) const {
  out.bytes_ = nullptr;
  out.ends_ = {};
  return Attempt([&]() -> ofindex::Result<void> {
    if (!out.state_) out.state_ = std::make_unique<RecordBatch::State>();
    ofindex::RecordBatch& batch = out.state_->batch;
    OFINDEX_TRY(opened_->reader().CopyInto(ordinals, batch));
    out.bytes_ = batch.bytes().data();
    out.ends_ = batch.ends();
    return {};
  });
}

void Dataset::Prefetch(uint64_t first, uint64_t count) const {
  if (first < size()) opened_->reader().Prefetch(first, std::min(count, size() - first));
}

Result<Features> Dataset::ReadFeatures(uint64_t ordinal) const {
  return Attempt([&]() -> ofindex::Result<Features> {
    OFINDEX_ASSIGN(const std::shared_ptr<const ReaderSource> source, opened_->Source());
    FetchedPayloads fetched;
    OFINDEX_TRY(source->Fetch(std::span(&ordinal, 1), fetched));
    auto features = Internals::Decode(fetched.payload(0), fetched.kind(0));
    if (!features) return tl::unexpected(source->Explain(ordinal, std::move(features).error()));
    return features;
  });
}

}  // namespace ofindex::v1
