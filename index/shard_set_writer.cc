#include "index/shard_set_writer.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Every draft stays open and locked until all are published. Descriptors beyond the soft limit are there to be taken.
Result<void> MakeRoomFor(uint64_t shards) {
  constexpr uint64_t kOthers = 256;  // descriptors for everything else
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= shards + kOthers) return {};
  rlimit raised = limit;
  raised.rlim_cur = std::min<rlim_t>(limit.rlim_max, shards + kOthers);
  if (raised.rlim_cur >= shards + kOthers && ::setrlimit(RLIMIT_NOFILE, &raised) == 0) return {};
  return Fail(ErrorCode::kLimit,
              StrCat(FormatCount(shards), " shards are more than the ", FormatCount(limit.rlim_max),
                     " files that this process may have open"),
              "raise the limit with `ulimit -n`, or write fewer shards");
}

}  // namespace

std::vector<uint64_t> EvenShares(uint64_t records, uint64_t shards) {
  std::vector<uint64_t> shares;
  uint64_t begin = 0;
  for (uint64_t i = 1; i <= shards; ++i) {
    const auto end = static_cast<uint64_t>(static_cast<unsigned __int128>(records) * i / shards);
    shares.push_back(end - std::exchange(begin, end));
  }
  return shares;
}

Result<ShardSetWriter> ShardSetWriter::Begin(ShardSetPlan plan, std::vector<uint64_t> records) {
  assert(plan.paths.size() == records.size() && !records.empty());
  OFINDEX_TRY(MakeRoomFor(records.size()));
  ShardSetWriter writer(std::move(plan), std::move(records));
  if (writer.plan_.creates_folder) OFINDEX_TRY(writer.MakeFolder());
  OFINDEX_TRY(writer.OpenShardInTurn());
  return writer;
}

// Makes the folder, and those around it that are not there.
Result<void> ShardSetWriter::MakeFolder() {
  std::error_code error;
  fs::path folder;
  for (const fs::path& part : fs::path(plan_.folder)) {
    folder /= part;
    if (fs::create_directory(folder, error)) made_.folders.push_back(folder.string());
    if (error && !fs::is_directory(folder)) {
      return tl::unexpected(SystemError(folder.string(), "cannot create the folder", error.value()));
    }
  }
  return {};
}

ShardSetWriter::~ShardSetWriter() {
  open_.reset();
  drafts_.clear();
  // Which they survive if anything is in them.
  for (auto folder = made_.folders.rbegin(); folder != made_.folders.rend(); ++folder) ::rmdir(folder->c_str());
}

Result<void> ShardSetWriter::OpenShardInTurn() {
  const size_t number = drafts_.size();
  OFINDEX_ASSIGN(open_, RecordWriter::Create(plan_.paths[number], plan_.framing, plan_.compression));
  left_ = sizes_[number];
  return {};
}

Result<void> ShardSetWriter::FinishShard() {
  bytes_ += open_->size();
  OFINDEX_ASSIGN(Draft draft, std::move(*open_).Finish());
  drafts_.push_back(std::move(draft));
  open_.reset();
  return {};
}

Result<void> ShardSetWriter::PassOver() {
  while (left_ == 0) {
    OFINDEX_TRY(FinishShard());
    assert(drafts_.size() < sizes_.size());
    OFINDEX_TRY(OpenShardInTurn());
  }
  --left_;
  return {};
}

Result<void> ShardSetWriter::Write(ByteView payload) {
  OFINDEX_TRY(PassOver());
  OFINDEX_TRY(open_->Write(payload));
  ++records_;
  return {};
}

Result<void> ShardSetWriter::Finish() {
  while (open_) {
    OFINDEX_TRY(FinishShard());
    if (drafts_.size() < sizes_.size()) OFINDEX_TRY(OpenShardInTurn());
  }
  return {};
}

Result<void> ShardSetWriter::Publish() {
  OFINDEX_TRY(Finish());
  // Everything that can fail goes first: all bytes are on the disk before any old shard is touched.
  for (Draft& draft : drafts_) OFINDEX_TRY(draft.Sync());
  for (Draft& draft : drafts_) OFINDEX_TRY(draft.Publish(Draft::Durability::kCached));
  drafts_.clear();
  for (const std::string& folder : made_.folders) OFINDEX_TRY(SyncDirectoryOf(folder));
  made_.folders.clear();
  const std::set<std::string> kept(plan_.paths.begin(), plan_.paths.end());
  for (const std::string& path : plan_.replaced) {
    if (kept.contains(path) || ::unlink(path.c_str()) == 0 || errno == ENOENT) continue;
    return tl::unexpected(SystemError(path, "cannot remove", errno));
  }
  return SyncDirectoryOf(plan_.paths.front());
}

}  // namespace ofindex
