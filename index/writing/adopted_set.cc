#include "index/writing/adopted_set.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_folder.h"
#include "index/output/file_access.h"
#include "index/output/folder.h"
#include "index/output/unfinished_set.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Returns the shards that the new ones will follow, in order: those of one whole set, or none.
Result<std::vector<std::string>> ShardsToKeep(ShardSetRequest request) {
  request.force = true;
  OFINDEX_ASSIGN(ShardSetPlan there, PlanShardSet(request));
  std::vector<std::string>& kept = there.replaced;
  if (kept.empty()) return std::move(kept);
  std::sort(kept.begin(), kept.end(), NaturalLess);
  OFINDEX_TRY(CheckFinished(there.target, FileNameOf(kept.front())));
  request.shards = kept.size();
  OFINDEX_ASSIGN(const ShardSetPlan whole, PlanShardSet(request));
  for (size_t i = 0; i < kept.size(); ++i) {
    if (FileNameOf(kept[i]) == FileNameOf(whole.paths[i])) continue;
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(kept[i]), ": expected ", Printable(FileNameOf(whole.paths[i])), " of a set of ",
                       kept.size(), " shards to append to"),
                "restore missing shards, compress new ones like those that are there, or replace the whole set");
  }
  return std::move(kept);
}

Result<void> Link(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return {};
  return tl::unexpected(SystemError(from, "cannot link to the new set", errno));
}

// Links, or moves where the file system has no links.
Result<void> Take(const std::string& from, const std::string& to) {
  Result<void> linked = Link(from, to);
  if (linked || !IsUnsupported(linked.error().system)) return linked;
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return tl::unexpected(SystemError(from, "cannot move to the new set", errno));
}

}  // namespace

Result<void> CheckAppend(const ShardSetRequest& request) {
  OFINDEX_ASSIGN(const std::vector<std::string> kept, ShardsToKeep(request));
  static_cast<void>(kept);
  return {};
}

Result<std::vector<std::string>> AdoptShards(ShardSetRequest request, const std::vector<std::string>& shards,
                                             bool append) {
  if (shards.empty())
    return Fail(ErrorCode::kUsage, StrCat(Printable(request.out), ": a set of no shards; expected at least one"));
  request.force = request.force || append;
  request.shards = shards.size();
  OFINDEX_ASSIGN(const ShardSetPlan first, PlanShardSet(request));
  std::vector<std::string> made;
  OFINDEX_TRY(MakeFolders(FolderOf(first.target), made));
  // From here on, no other writer changes the set.
  OFINDEX_ASSIGN(AtomicFolder folder, AtomicFolder::Begin(first.target));
  std::vector<std::string> kept;
  if (append) {
    OFINDEX_ASSIGN(kept, ShardsToKeep(request));
    request.shards = kept.size() + shards.size();
  }
  OFINDEX_ASSIGN(const ShardSetPlan plan, PlanShardSet(request));
  std::set<std::string> linked;
  for (size_t i = 0; i < plan.paths.size(); ++i) {
    const std::string name = FileNameOf(plan.paths[i]);
    const std::string place = (fs::path(folder.path()) / name).string();
    OFINDEX_TRY(i < kept.size() ? Link(kept[i], place) : Take(shards[i - kept.size()], place));
    if (i < kept.size()) linked.insert(name);
  }
  std::set<std::string> replaced;
  for (const std::string& path : plan.replaced) replaced.insert(FileNameOf(path));
  if (append && replaced.size() != kept.size()) {
    return Fail(ErrorCode::kIo, StrCat(Printable(plan.target), ": its shards changed while others were appended"),
                "append again when no other program writes to it");
  }
  OFINDEX_TRY(CheckUnchanged(plan));
  OFINDEX_TRY(folder.Publish(replaced, linked));
  return plan.paths;
}

}  // namespace ofindex
