#include "mmap/sources/open_shard.h"

#include <system_error>
#include <utility>

#include "base/file_watch.h"
#include "base/framing.h"
#include "base/storage.h"
#include "base/text.h"

namespace ofindex {
namespace {

// Attempts before giving up on a shard that keeps changing.
constexpr int kAttempts = 4;

}  // namespace

Result<std::unique_ptr<OpenShard>> OpenShard::Open(std::string path, Framing framing, const ShardIdentity& identity,
                                                   Options options, std::optional<Inflation> inflation) {
  std::string place = options.place.empty() ? path : std::move(options.place);
  OFINDEX_ASSIGN(File file, OpenIndexedShard(place, path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  std::unique_ptr<OpenShard> shard(new OpenShard(std::move(path), std::move(place), framing, identity));
  shard->device_ = facts.device;
  shard->inode_ = facts.inode;
  const bool just_written = WaitForNextTick(facts);
  OFINDEX_TRY(CheckShard(file, facts, identity, just_written ? FactsTrust::kIgnored : FactsTrust::kTrusted));
  shard->trusted_ = HashOf(facts);
  shard->inflation_ = std::move(inflation);

  const bool map =
      !shard->inflation_ && options.may_map &&
      (options.io == IoMode::kMmap || (options.io == IoMode::kAuto && StorageOf(file) != Storage::kNetwork));
  if (map) {
    // If no map is left, pread gives the same answers.
    if (auto source = MapSource(file, identity.size)) shard->source_ = std::move(*source);
  }
  if (options.keep_descriptor) {
    shard->file_ = std::make_shared<const File>(std::move(file));
    if (!shard->source_ && !shard->inflation_) shard->source_ = PreadSource(*shard->file_);
  }
  if (shard->source_) shard->mapped_ = shard->source_->mapped();
  return shard;
}

Result<void> OpenShard::Read(std::span<const RecordRead> reads) const {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const uint64_t state = state_.load(std::memory_order_acquire);
    OFINDEX_ASSIGN(const ReadOutcome outcome, ReadOnce(reads));
    const bool never_better = outcome.refusal && outcome.refusal->code != ErrorCode::kStale;
    if (outcome.status == ReadOutcome::Status::kFailed || never_better) return Failed(outcome, reads);
    OFINDEX_ASSIGN(const bool unchanged, Unchanged());
    if (unchanged && state == state_.load(std::memory_order_acquire)) {
      if (outcome.status == ReadOutcome::Status::kDone) return {};
      return Failed(outcome, reads);
    }
    state_.fetch_add(1, std::memory_order_acq_rel);
    OFINDEX_TRY(Establish());
  }
  return Fail(ErrorCode::kStale, StrCat(Printable(path_), ": the shard is being written to"),
              "open the dataset again when the file is no longer written to");
}

Result<std::optional<OpenShard::Lent>> OpenShard::Lend(const RecordRead& read) const {
  if (mapped_.empty()) return std::nullopt;
  RecordRead header = read;
  header.out = nullptr;
  OFINDEX_TRY(Read(std::span(&header, 1)));  // checks the identity, and the header
  const uint64_t state = state_.load(std::memory_order_acquire);
  OFINDEX_ASSIGN(const std::shared_ptr<const File> file, FileNow());
  Result<LentBytes> bytes = LentBytes::Map(*file, read.begin + HeaderBytes(framing_), read.length);
  if (!bytes) return std::nullopt;
  return Lent{.bytes = *std::move(bytes), .read = header, .state = state};
}

Result<void> OpenShard::Check(const Lent& lent) const {
  OFINDEX_ASSIGN(const bool unchanged, Unchanged());
  if (lent.bytes.lost()) return Failed({.status = ReadOutcome::Status::kGone}, std::span(&lent.read, 1));
  if (unchanged && lent.state == state_.load(std::memory_order_acquire)) return {};
  return Fail(ErrorCode::kStale,
              StrCat(Printable(path_), "@", lent.read.begin, ": record ", lent.read.ordinal,
                     ": the shard was written to while the record was read"),
              "open the dataset again when the file is no longer written to");
}

void OpenShard::Prefetch(std::span<const RecordRead> reads) const {
  if (source_) source_->Prefetch(framing_, reads);
}

Result<ReadOutcome> OpenShard::ReadOnce(std::span<const RecordRead> reads) const {
  if (source_) return source_->Read(framing_, reads);
  OFINDEX_ASSIGN(const std::shared_ptr<const File> file, FileNow());
  const std::unique_ptr<ByteSource> source = inflation_ ? InflateSource(InflatedOf(file)) : PreadSource(*file);
  return source->Read(framing_, reads);
}

Result<size_t> OpenShard::ReadBytes(uint64_t offset, std::span<uint8_t> out) const {
  OFINDEX_ASSIGN(std::shared_ptr<const File> file, FileNow());
  return inflation_ ? InflatedOf(std::move(file)).ReadAt(offset, out) : file->ReadAt(offset, out);
}

// Returns the file that is kept open, or reopens it.
Result<std::shared_ptr<const File>> OpenShard::FileNow() const {
  if (file_) return file_;
  OFINDEX_ASSIGN(File file, Reopen());
  return std::make_shared<const File>(std::move(file));
}

InflatedBytes OpenShard::InflatedOf(std::shared_ptr<const File> file) const {
  return InflatedBytes(std::move(file), inflation_->facts, *inflation_->checkpoints, *inflation_->cache,
                       inflation_->shard, state_.load(std::memory_order_acquire));
}

Result<bool> OpenShard::Unchanged() const {
  auto facts = file_ ? file_->Facts() : StatFile(place_);
  if (!facts) {
    return Fail(ErrorCode::kStale, SystemError(path_, "cannot stat", facts.error().system).message, kStaleHint);
  }
  return HashOf(*facts) == trusted_.load(std::memory_order_acquire);
}

bool OpenShard::UnchangedThisTick(int64_t tick) const {
  if (unchanged_at_.load(std::memory_order_relaxed) == tick) return true;
  const Result<bool> unchanged = Unchanged();
  if (!unchanged || !*unchanged) return false;
  unchanged_at_.store(tick, std::memory_order_relaxed);
  return true;
}

Result<File> OpenShard::Reopen() const {
  OFINDEX_ASSIGN(File file, OpenIndexedShard(place_, path_));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  if (facts.device != device_ || facts.inode != inode_) {
    return Fail(ErrorCode::kStale, StrCat(Printable(path_), ": the shard was replaced by another file"), kStaleHint);
  }
  return file;
}

Result<void> OpenShard::Establish() const {
  OFINDEX_ASSIGN(const std::shared_ptr<const File> now, FileNow());
  const File& file = *now;
  OFINDEX_ASSIGN(const FileFacts before, file.Facts());
  WaitForNextTick(before);
  OFINDEX_TRY(CheckShard(file, before, identity_, FactsTrust::kIgnored));
  OFINDEX_ASSIGN(const FileFacts after, file.Facts());
  // If the file was written to meanwhile, the earlier facts are stored all the same: they will not match, so the next
  // attempt verifies the file again.
  if (after.size != identity_.size) return CheckShard(file, after, identity_);
  trusted_.store(HashOf(before), std::memory_order_release);
  return {};
}

tl::unexpected<Error> OpenShard::Failed(const ReadOutcome& outcome, std::span<const RecordRead> reads) const {
  const RecordRead& read = reads[outcome.at];
  const std::string place = StrCat(Printable(path_), "@", read.begin, ": record ", read.ordinal);
  switch (outcome.status) {
    case ReadOutcome::Status::kFailed:
      return Fail(ErrorCode::kIo, StrCat(place, ": cannot read: ", std::generic_category().message(outcome.error)));
    case ReadOutcome::Status::kRefused: {
      Error error = *outcome.refusal;
      error.message = StrCat("record ", read.ordinal, ": ", error.message);
      return tl::unexpected(std::move(error));
    }
    case ReadOutcome::Status::kOtherFraming:
      return Fail(ErrorCode::kStale,
                  StrCat(place, ": the header differs from the indexed one; expected length ", read.length),
                  kStaleHint);
    default: return Fail(ErrorCode::kStale, StrCat(place, ": the file no longer holds the record"), kStaleHint);
  }
}

}  // namespace ofindex
