#include "tools/show/record_stream.h"

#include <utility>
#include <vector>

#include "tools/shell/messages.h"

namespace ofindex {
namespace {

// A batch ends with the record that fills it, so memory is bounded by this and one record.
constexpr uint64_t kBatchBytes = uint64_t{4} << 20;
constexpr size_t kBatchRecords = 4096;

class Streamer {
 public:
  Streamer(const Dataset& dataset, const TakeRecord& take, const Context& context, LargeRecords large, LostShards* lost)
      : dataset_(dataset), take_(take), context_(context), large_(large), lost_(lost) {}

  Result<void> Add(uint64_t ordinal) {
    if (lost_ != nullptr && lost_->Has(ordinal)) return {};
    OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
    if (large_ == LargeRecords::kLent && location.length > kLentRecordBytes) {
      OFINDEX_TRY(Finish());
      return PassOver(TakeAlone(ordinal));
    }
    ordinals_.push_back(ordinal);
    bytes_ += location.length;
    if (bytes_ < kBatchBytes && ordinals_.size() < kBatchRecords) return {};
    return Finish();
  }

  Result<void> Finish() {
    if (context_.progress.cancel) return Interrupted();
    auto copied = dataset_.reader().CopyInto(ordinals_, batch_);
    if (!copied && !MayBeAlone(copied.error())) return copied;
    for (size_t i = 0; i < ordinals_.size(); ++i) {
      OFINDEX_TRY(PassOver(copied ? take_(ordinals_[i], LentRecord(batch_[i])) : TakeAlone(ordinals_[i])));
    }
    ordinals_.clear();
    bytes_ = 0;
    return {};
  }

  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  // True if the other records of the batch may be readable one by one.
  [[nodiscard]] bool MayBeAlone(const Error& error) const {
    if (error.code == ErrorCode::kDamage) return true;
    return lost_ != nullptr && (error.code == ErrorCode::kStale || error.code == ErrorCode::kIo);
  }

  // Takes one record: a large one, or one of a batch that contains a bad record, or records of an unreadable shard.
  Result<void> TakeAlone(uint64_t ordinal) {
    if (lost_ != nullptr && lost_->Has(ordinal)) return {};
    Result<LentRecord> record = Read(ordinal);
    if (record) return take_(ordinal, *record);
    const bool is_lost = lost_ != nullptr && record.error().code != ErrorCode::kDamage;
    return is_lost ? lost_->Add(ordinal, record.error()) : tl::unexpected(std::move(record).error());
  }

  Result<LentRecord> Read(uint64_t ordinal) {
    if (large_ == LargeRecords::kLent) return dataset_.reader().Lend(ordinal, payload_);
    OFINDEX_TRY(dataset_.reader().Copy(ordinal, payload_));
    return LentRecord(payload_);
  }

  Result<void> PassOver(Result<void> taken) {
    if (taken || taken.error().code != ErrorCode::kDamage) return taken;
    PrintError(taken.error(), context_);
    exit_code_ = ExitCode(ErrorCode::kDamage);
    return {};
  }

  const Dataset& dataset_;
  const TakeRecord& take_;
  const Context& context_;
  const LargeRecords large_;
  LostShards* const lost_;
  std::vector<uint64_t> ordinals_;
  uint64_t bytes_ = 0;
  RecordBatch batch_;
  std::vector<uint8_t> payload_;
  int exit_code_ = 0;
};

}  // namespace

Result<int> StreamRecords(const Dataset& dataset, const NextOrdinal& next, const TakeRecord& take,
                          const Context& context, LargeRecords large, LostShards* lost) {
  Streamer streamer(dataset, take, context, large, lost);
  for (uint64_t ordinal = 0;;) {
    OFINDEX_ASSIGN(const bool more, next(ordinal));
    if (!more) break;
    OFINDEX_TRY(streamer.Add(ordinal));
  }
  OFINDEX_TRY(streamer.Finish());
  return streamer.exit_code();
}

}  // namespace ofindex
