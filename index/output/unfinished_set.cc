#include "index/output/unfinished_set.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"

namespace ofindex {
namespace {

constexpr size_t kMaxBytes = 4096;  // a name has at most 255

std::string MarkOf(const std::string& folder) {
  return (std::filesystem::path(folder) / std::string(kUnfinishedName)).string();
}

// Returns what a mark in `folder` covers; nullopt if there is none.
Result<std::optional<std::string>> ReadMark(const std::string& folder) {
  const auto mark = File::OpenRead(MarkOf(folder));
  if (!mark && mark.error().system == ENOENT) return std::nullopt;
  if (!mark) return tl::unexpected(mark.error());
  std::vector<uint8_t> bytes(kMaxBytes);
  OFINDEX_ASSIGN(const size_t got, mark->ReadAt(0, bytes));
  return std::string(AsText(ByteView(bytes).first(got)));
}

tl::unexpected<Error> Unfinished(const std::string& folder) {
  return Fail(
      ErrorCode::kFormat,
      StrCat(Printable(MarkOf(folder)), ": a writer was stopped while it replaced the shards next to this file; ",
             "expected the shards of one set"),
      "write the set again, with --force");
}

}  // namespace

Result<bool> MarkUnfinished(const std::string& folder, const std::string& shard) {
  OFINDEX_ASSIGN(const std::optional<std::string> there, ReadMark(folder));
  if (there && *there != shard) return Unfinished(folder);
  if (there) return false;
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(MarkOf(folder), AtomicFile::IfLocked::kFail));
  {
    OFINDEX_ASSIGN(OutputFile file, temporary.Open());
    OFINDEX_TRY(file.Append(AsBytes(shard)));
    OFINDEX_TRY(file.Flush());
  }
  Result<void> published = temporary.Publish(AtomicFile::Durability::kDurable);
  if (published) return true;
  static_cast<void>(UnmarkUnfinished(folder));
  return tl::unexpected(std::move(published).error());
}

Result<void> UnmarkUnfinished(const std::string& folder) {
  const std::string mark = MarkOf(folder);
  if (::unlink(mark.c_str()) != 0 && errno != ENOENT) return tl::unexpected(SystemError(mark, "cannot remove", errno));
  return SyncDirectoryOf(mark);
}

Result<void> CheckFinished(const std::string& folder, const std::string& name) {
  OFINDEX_ASSIGN(const std::optional<std::string> mark, ReadMark(folder));
  if (mark && (mark->empty() || *mark == name)) return Unfinished(folder);
  return {};
}

}  // namespace ofindex
