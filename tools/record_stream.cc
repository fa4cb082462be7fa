#include "tools/record_stream.h"

#include <utility>
#include <vector>

#include "tools/messages.h"

namespace ofindex {
namespace {

// A batch ends with the record that fills it: memory is this and one record.
constexpr uint64_t kBatchBytes = uint64_t{4} << 20;
constexpr size_t kBatchRecords = 4096;

class Streamer {
 public:
  Streamer(const Dataset& dataset, const TakePayload& take, const Context& context)
      : dataset_(dataset), take_(take), context_(context) {}

  Result<void> Add(uint64_t ordinal) {
    OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
    ordinals_.push_back(ordinal);
    bytes_ += location.length;
    if (bytes_ < kBatchBytes && ordinals_.size() < kBatchRecords) return {};
    return Finish();
  }

  Result<void> Finish() {
    if (context_.progress.cancel) return Interrupted();
    auto copied = dataset_.reader().CopyInto(ordinals_, batch_);
    if (!copied && copied.error().code != ErrorCode::kDamage) return copied;
    for (size_t i = 0; i < ordinals_.size(); ++i) {
      OFINDEX_TRY(PassOver(copied ? take_(ordinals_[i], batch_[i]) : TakeAlone(ordinals_[i])));
    }
    ordinals_.clear();
    bytes_ = 0;
    return {};
  }

  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  // One of a batch that holds a bad record.
  Result<void> TakeAlone(uint64_t ordinal) {
    OFINDEX_TRY(dataset_.reader().Copy(ordinal, payload_));
    return take_(ordinal, payload_);
  }

  Result<void> PassOver(Result<void> taken) {
    if (taken || taken.error().code != ErrorCode::kDamage) return taken;
    PrintError(taken.error(), context_);
    exit_code_ = ExitCode(ErrorCode::kDamage);
    return {};
  }

  const Dataset& dataset_;
  const TakePayload& take_;
  const Context& context_;
  std::vector<uint64_t> ordinals_;
  uint64_t bytes_ = 0;
  RecordBatch batch_;
  std::vector<uint8_t> payload_;
  int exit_code_ = 0;
};

}  // namespace

Result<int> StreamRecords(const Dataset& dataset, const NextOrdinal& next, const TakePayload& take,
                          const Context& context) {
  Streamer streamer(dataset, take, context);
  for (uint64_t ordinal = 0;;) {
    OFINDEX_ASSIGN(const bool more, next(ordinal));
    if (!more) break;
    OFINDEX_TRY(streamer.Add(ordinal));
  }
  OFINDEX_TRY(streamer.Finish());
  return streamer.exit_code();
}

}  // namespace ofindex
