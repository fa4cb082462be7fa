#include "index/writing/adopted_set.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_folder.h"
#include "index/output/file_access.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

std::string FileNameOf(const std::string& path) { return fs::path(path).filename().string(); }

// Returns the shards that the new ones will follow, in order.
Result<std::vector<std::string>> ShardsToKeep(const ShardSetRequest& request) {
  OFINDEX_ASSIGN(ShardSetPlan plan, PlanShardSet(request));
  const bool compress = request.compression != Compression::kNone;
  for (const std::string& path : plan.replaced) {
    if (path.ends_with(".gz") == compress) continue;
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(path),
                       compress ? ": not compressed, unlike the new shards" : ": compressed, unlike the new shards",
                       "; expected one kind in a set"),
                "write them alike, or to another folder");
  }
  std::sort(plan.replaced.begin(), plan.replaced.end(), NaturalLess);
  return std::move(plan.replaced);
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

Result<std::vector<std::string>> AdoptShards(ShardSetRequest request, const std::vector<std::string>& shards,
                                             bool append) {
  if (shards.empty()) return Fail(ErrorCode::kUsage, StrCat(Printable(request.out), ": a set of no shards"));
  std::vector<std::string> kept;
  request.shards = shards.size();
  if (append) {
    request.force = true;
    OFINDEX_ASSIGN(kept, ShardsToKeep(request));
    request.shards = kept.size() + shards.size();
  }
  OFINDEX_ASSIGN(const ShardSetPlan plan, PlanShardSet(request));
  std::error_code error;
  fs::create_directories(fs::absolute(plan.target).parent_path(), error);
  if (error) return tl::unexpected(SystemError(plan.target, "cannot create its folder", error.value()));
  OFINDEX_ASSIGN(AtomicFolder folder, AtomicFolder::Begin(plan.target));
  for (size_t i = 0; i < plan.paths.size(); ++i) {
    const std::string place = (fs::path(folder.path()) / FileNameOf(plan.paths[i])).string();
    OFINDEX_TRY(i < kept.size() ? Link(kept[i], place) : Take(shards[i - kept.size()], place));
  }
  OFINDEX_TRY(CheckUnchanged(plan));
  std::set<std::string> replaced;
  for (const std::string& path : plan.replaced) replaced.insert(FileNameOf(path));
  OFINDEX_TRY(folder.Publish(replaced));
  return plan.paths;
}

}  // namespace ofindex
