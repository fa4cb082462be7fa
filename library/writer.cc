#include <optional>
#include <utility>

#include <ofindex/writer.h>

#include "index/shards/output_rule.h"
#include "index/writing/record_writer.h"
#include "index/writing/shard_set_plan.h"
#include "index/writing/shard_set_writer.h"
#include "library/convert.h"

namespace ofindex::v1 {
namespace {

ofindex::Result<void> CheckFraming(Framing framing) {
  if (framing != Framing::kEmpty) return {};
  return Fail(ofindex::ErrorCode::kUsage, "framing: kEmpty; expected kTfRecord or kOfRecord");
}

// The copy constructor of tl::expected would end the process if memory ran out.
Result<void> CopyOf(const Result<void>& outcome) {
  if (outcome) return {};
  return tl::unexpected<Error>(outcome.error());
}

}  // namespace

struct RecordWriter::State {
  ofindex::RecordWriter writer;
  std::optional<Result<void>> closed = {};  // the outcome
};

RecordWriter::RecordWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordWriter::RecordWriter(RecordWriter&& other) noexcept = default;
RecordWriter& RecordWriter::operator=(RecordWriter&& other) noexcept = default;
RecordWriter::~RecordWriter() = default;

Result<RecordWriter> RecordWriter::Create(const std::string& path, const WriteOptions& options) {
  return Attempt([&]() -> ofindex::Result<RecordWriter> {
    OFINDEX_TRY(CheckFraming(options.framing));
    const ofindex::Framing framing = Engine(options.framing);
    OFINDEX_TRY(CheckOutput(path, OutputOf(framing), options.force, {}));
    OFINDEX_ASSIGN(ofindex::RecordWriter writer,
                   ofindex::RecordWriter::Create(path, framing, Engine(options.compression)));
    return RecordWriter(std::make_unique<State>(State{std::move(writer)}));
  });
}

Result<RecordWriter> RecordWriter::Append(const std::string& path, Framing framing) {
  return Attempt([&]() -> ofindex::Result<RecordWriter> {
    OFINDEX_TRY(CheckFraming(framing));
    OFINDEX_ASSIGN(ofindex::RecordWriter writer, ofindex::RecordWriter::Append(path, Engine(framing)));
    return RecordWriter(std::make_unique<State>(State{std::move(writer)}));
  });
}

Result<void> RecordWriter::Write(ByteView payload) {
  if (!state_ || state_->closed) return Misuse("the writer is closed");
  return Attempt([&] { return state_->writer.Write(payload); });
}

Result<void> RecordWriter::Flush() {
  if (!state_ || state_->closed) return Misuse("the writer is closed");
  return Attempt([&] { return state_->writer.Flush(); });
}

Result<void> RecordWriter::Close() {
  if (!state_) return Misuse("the writer was moved from");
  if (!state_->closed) state_->closed = Attempt([&] { return state_->writer.Close(); });
  return CopyOf(*state_->closed);
}

uint64_t RecordWriter::records() const { return state_ ? state_->writer.records() : 0; }
uint64_t RecordWriter::bytes() const { return state_ ? state_->writer.size() : 0; }

struct ShardSetWriter::State {
  ofindex::ShardSetWriter writer;
  uint64_t max_records;
  std::optional<Result<void>> published = {};  // the outcome
};

ShardSetWriter::ShardSetWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ShardSetWriter::ShardSetWriter(ShardSetWriter&& other) noexcept = default;
ShardSetWriter& ShardSetWriter::operator=(ShardSetWriter&& other) noexcept = default;
ShardSetWriter::~ShardSetWriter() = default;

Result<ShardSetWriter> ShardSetWriter::Create(const std::string& path, const ShardSetOptions& options) {
  return Attempt([&]() -> ofindex::Result<ShardSetWriter> {
    OFINDEX_TRY(CheckFraming(options.write.framing));
    if (options.shards == 0) return Fail(ofindex::ErrorCode::kUsage, "shards: 0; expected at least 1");
    if (options.shards > 1 && !options.records) {
      return Fail(ofindex::ErrorCode::kUsage, "records: not given; expected a number if there are several shards");
    }
    ShardSetRequest request;
    request.out = path;
    request.framing = Engine(options.write.framing);
    request.compression = Engine(options.write.compression);
    if (options.shards > 1) request.shards = options.shards;
    request.force = options.write.force;
    OFINDEX_ASSIGN(ShardSetPlan plan, PlanShardSet(request));
    OFINDEX_TRY(CheckReplaced(plan, options.write.force, {}));
    const uint64_t most = options.records.value_or(UINT64_MAX);
    std::vector<uint64_t> shares = EvenShares(most, plan.paths.size());
    OFINDEX_ASSIGN(ofindex::ShardSetWriter writer, ofindex::ShardSetWriter::Begin(std::move(plan), std::move(shares)));
    return ShardSetWriter(std::make_unique<State>(State{std::move(writer), most}));
  });
}

Result<void> ShardSetWriter::Write(ByteView payload) {
  if (!state_ || state_->published) return Misuse("the set is published");
  if (state_->writer.records() == state_->max_records) return Misuse("the set is complete");
  return Attempt([&] { return state_->writer.Write(payload); });
}

Result<void> ShardSetWriter::Publish() {
  if (!state_) return Misuse("the writer was moved from");
  if (!state_->published) state_->published = Attempt([&] { return state_->writer.Publish(); });
  return CopyOf(*state_->published);
}

const std::vector<std::string>& ShardSetWriter::paths() const {
  static const std::vector<std::string> none;
  return state_ ? state_->writer.plan().paths : none;
}

uint64_t ShardSetWriter::records() const { return state_ ? state_->writer.records() : 0; }

}  // namespace ofindex::v1
