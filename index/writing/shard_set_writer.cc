#include "index/writing/shard_set_writer.h"

#include <unistd.h>

#include <cassert>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "index/output/folder.h"
#include "index/output/unfinished_set.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Files that the system writes back while the next ones are made. Each holds a descriptor.
constexpr size_t kMaxUnsettled = 32;

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

void RemoveLeftovers(const ShardSetPlan& plan) {
  if (plan.is_folder()) AtomicFolder::RemoveLeftover(plan.target);
  for (const std::string& path : plan.paths) AtomicFile::RemoveLeftover(path);
}

Result<ShardSetWriter> ShardSetWriter::Begin(ShardSetPlan plan, std::vector<uint64_t> records) {
  assert(plan.paths.size() == records.size() && !records.empty());
  ShardSetWriter writer(std::move(plan), std::move(records));
  const ShardSetPlan& of = writer.plan_;
  if (of.creates_folder) {
    const std::string folder = of.is_folder() ? fs::path(of.target).parent_path().string() : of.folder;
    std::vector<std::string>& made = writer.made_.folders;
    OFINDEX_TRY(MakeFolders(folder.empty() ? "." : folder, made));
    for (const std::string& each : made) OFINDEX_TRY(CheckFolderOf(each));
  }
  if (of.is_folder()) {
    OFINDEX_ASSIGN(writer.folder_, AtomicFolder::Begin(of.target));
  }
  OFINDEX_TRY(writer.OpenShardInTurn());
  return writer;
}

ShardSetWriter::~ShardSetWriter() {
  open_.reset();
  temporaries_.clear();
  folder_.reset();
  // This fails for folders that are not empty.
  for (auto folder = made_.folders.rbegin(); folder != made_.folders.rend(); ++folder) ::rmdir(folder->c_str());
}

std::string ShardSetWriter::TemporaryPathOf(const std::string& name) const {
  return (fs::path(folder_ ? folder_->path() : plan_.folder) / name).string();
}

Result<void> ShardSetWriter::OpenShardInTurn() {
  const std::string& path = plan_.paths[opened_];
  OFINDEX_ASSIGN(open_, RecordWriter::Create(folder_ ? TemporaryPathOf(FileNameOf(path)) : path, plan_.framing,
                                             plan_.compression));
  left_ = sizes_[opened_++];
  return {};
}

// In a folder of its own, a file gets its name as soon as it is on disk.
Result<void> ShardSetWriter::Settle(size_t limit) {
  for (; folder_ && temporaries_.size() > limit; temporaries_.erase(temporaries_.begin())) {
    OFINDEX_TRY(temporaries_.front().Sync());
    OFINDEX_TRY(temporaries_.front().Publish(AtomicFile::Durability::kCached));
  }
  return {};
}

Result<void> ShardSetWriter::Keep(AtomicFile temporary) {
  temporaries_.push_back(std::move(temporary));
  return Settle(kMaxUnsettled);
}

Result<void> ShardSetWriter::FinishShard() {
  bytes_ += open_->size();
  OFINDEX_ASSIGN(AtomicFile temporary, std::move(*open_).Finish());
  open_.reset();
  return Keep(std::move(temporary));
}

Result<void> ShardSetWriter::AddFile(const std::string& name, ByteView text) {
  OFINDEX_TRY(CheckIntact());
  return Noted(WriteFile(name, text));
}

Result<void> ShardSetWriter::WriteFile(const std::string& name, ByteView text) {
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(TemporaryPathOf(name), AtomicFile::IfLocked::kFail));
  {
    OFINDEX_ASSIGN(OutputFile file, temporary.Open());
    OFINDEX_TRY(file.Append(text));
    OFINDEX_TRY(file.Flush());
  }
  return Keep(std::move(temporary));
}

Result<void> ShardSetWriter::Noted(Result<void> done) {
  if (!done) failed_ = done.error();
  return done;
}

// Between one shard and the next, no shard is open. If memory runs out at that point, none is ever opened again.
Result<void> ShardSetWriter::CheckIntact() const {
  if (failed_) return tl::unexpected(*failed_);
  if (open_ || finished_) return {};
  return Fail(ErrorCode::kLimit, Printable(plan_.target) + ": memory ran out between two shards",
              "write the set again");
}

Result<void> ShardSetWriter::OpenNext() {
  while (left_ == 0) {
    OFINDEX_TRY(FinishShard());
    assert(opened_ < sizes_.size());
    OFINDEX_TRY(OpenShardInTurn());
  }
  return {};
}

Result<void> ShardSetWriter::PassOver() {
  OFINDEX_TRY(CheckIntact());
  OFINDEX_TRY(Noted(OpenNext()));
  --left_;
  return {};
}

Result<void> ShardSetWriter::Write(ByteView payload) {
  OFINDEX_TRY(CheckIntact());
  OFINDEX_TRY(Noted(OpenNext()));
  Result<void> written = open_->Write(payload);
  if (!written && written.error().code == ErrorCode::kUsage) return written;
  if (!written) return Noted(std::move(written));
  --left_;
  ++records_;
  return {};
}

Result<void> ShardSetWriter::Finish() {
  OFINDEX_TRY(CheckIntact());
  return Noted(FinishAll());
}

Result<void> ShardSetWriter::FinishAll() {
  while (open_) {
    OFINDEX_TRY(FinishShard());
    if (opened_ < sizes_.size()) OFINDEX_TRY(OpenShardInTurn());
  }
  finished_ = true;
  if (folder_) return Settle(0);
  for (; synced_ < temporaries_.size(); ++synced_) OFINDEX_TRY(temporaries_[synced_].Sync());
  return {};
}

Result<void> ShardSetWriter::Publish() {
  OFINDEX_TRY(Finish());
  OFINDEX_TRY(CheckUnchanged(plan_));
  if (folder_) {
    std::set<std::string> replaced;
    for (const std::string& path : plan_.replaced) replaced.insert(FileNameOf(path));
    OFINDEX_TRY(folder_->Publish(replaced));
    folder_.reset();
  } else {
    OFINDEX_TRY(PublishFiles());
  }
  made_.folders.clear();  // they have the set now
  return {};
}

// Publishes a shard among other files by one rename. If labels are published with the shard, marks the folder
// meanwhile, since the labels must not be read with any other shard.
Result<void> ShardSetWriter::PublishFiles() {
  const std::string folder = plan_.folder.empty() ? "." : plan_.folder;
  const std::string name = FileNameOf(plan_.paths.front());
  // A mark of this shard left by a killed writer is removed by the next one.
  const bool needs_mark = (temporaries_.size() > 1 && !plan_.replaced.empty()) || !CheckFinished(folder, name);
  bool marked = false;
  if (needs_mark) {
    OFINDEX_ASSIGN(marked, MarkUnfinished(folder, name));
  }
  Result<void> done;
  bool any = false;
  for (AtomicFile& temporary : temporaries_) {
    if (done) done = temporary.Publish(AtomicFile::Durability::kCached);
    any = any || done.has_value();
  }
  if (done) done = SyncDirectoryOf(plan_.paths.front());
  if (done) temporaries_.clear();
  if (needs_mark && (done || (marked && !any))) {
    Result<void> unmarked = UnmarkUnfinished(folder);
    if (done) done = std::move(unmarked);
  }
  return done;
}

}  // namespace ofindex
