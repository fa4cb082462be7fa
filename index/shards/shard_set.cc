#include "index/shards/shard_set.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/paths.h"
#include "index/finding/missing_paths.h"
#include "index/output/atomic_file.h"
#include "index/output/folder.h"
#include "index/output/shard_names.h"
#include "index/output/unfinished_set.h"
#include "index/shards/output_rule.h"
#include "index/shards/shard_glob.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxListBytes = size_t{1} << 30;

constexpr char kDanglingLink[] = "a dangling link";
constexpr char kUnfinished[] = "a file or folder that a writer has not finished";

bool IsSkippedName(const std::string& name) {
  return name.starts_with('.') || name.starts_with('_') || name.find(kIndexSuffix) != std::string::npos;
}

const char* KindOfSpecialFile(mode_t mode) {
  if (S_ISFIFO(mode)) return "a FIFO, not a regular file";
  if (S_ISSOCK(mode)) return "a socket, not a regular file";
  return "not a regular file";
}

using Inode = std::pair<dev_t, ino_t>;

// Returns the index at `path`, its map, and what is being written for them, which are never shards of the dataset that
// they index, whatever their names.
std::set<Inode> OwnFiles(const std::string& path) {
  std::set<Inode> own;
  const auto add = [&](const std::string& file, std::optional<OutputKind> kind) {
    struct stat info {};
    // Opening a FIFO could block forever.
    const bool is_file = ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    const bool is_own = is_file && (!kind || IsOutput(file, *kind));
    if (is_own) own.emplace(info.st_dev, info.st_ino);
    return is_own;
  };
  std::error_code error;
  for (const std::string& index : {path, fs::canonical(path, error).string()}) {  // a link leads to the index
    if (add(index, OutputKind::kIndex)) add(MapPathOf(index), OutputKind::kMap);
    for (const std::string& file : {index, MapPathOf(index)}) add(StrCat(file, kTemporarySuffix), std::nullopt);
  }
  return own;
}

bool IsGone(int error) { return error == ENOENT || error == ENOTDIR; }

bool IsAnyLink(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

// Collects files argument by argument.
class Finder {
 public:
  explicit Finder(const std::string& index_path) : folder_(FolderOf(index_path)), own_(OwnFiles(index_path)) {}

  // `may_be_gone`: what the argument names need not exist.
  Result<void> AddArgument(const std::string& argument, bool may_be_gone = false) {
    may_be_gone_ = may_be_gone;
    in_list_ = argument.starts_with('@');
    if (in_list_) return AddList(argument.substr(1));
    OFINDEX_TRY(AddSource("", argument));
    struct stat info {};
    if (::stat(argument.c_str(), &info) == 0) {
      OFINDEX_TRY(SkipTemporaryOf(argument));
      return AddPath(argument, Origin::kNamed);
    }
    const int error = errno;
    if (IsGlob(argument)) return AddGlob(argument);
    if (may_be_gone_ && IsGone(error)) return SkipGone(argument);
    if (error == ENOENT) return tl::unexpected(NoSuchPath(argument));
    return tl::unexpected(SystemError(argument, "cannot stat", error));
  }

  // Returns the files found, in order.
  [[nodiscard]] std::vector<Candidate> Files() const;

  Result<ShardSet> Finish();

 private:
  enum class Origin { kNamed, kFound };

  Result<void> AddPath(const std::string& path, Origin origin);
  Result<void> AddFound(const std::string& path);
  Result<void> AddFolder(const std::string& path, Origin origin);
  Result<void> AddGlob(const std::string& pattern);
  Result<void> AddList(const std::string& path);
  Result<void> AddSource(const char* prefix, const std::string& path);
  Result<void> SkipTemporaryOf(const std::string& path);
  Result<void> SkipGone(const std::string& path);
  Result<void> Skip(const std::string& path, std::string reason, SkippedFile::Kind kind = SkippedFile::Kind::kForeign);
  Result<std::string> StoredPathOfFile(const std::string& path);

  std::string folder_;
  std::set<Inode> own_;
  bool may_be_gone_ = false;
  bool in_list_ = false;
  std::string last_parent_;                   // the folder of the last file, up to and including its '/'
  std::string last_stored_parent_;            // the same, relative to folder_
  std::map<std::string, std::string> files_;  // stored path -> path
  std::set<std::string> named_;               // stored paths of files that are themselves arguments
  std::map<Inode, std::string> folders_;      // folders already searched, with their stored paths
  ShardSet set_;
};

// Reports what an unfinished writer of `path` left next to it.
Result<void> Finder::SkipTemporaryOf(const std::string& path) {
  const size_t end = path.find_last_not_of('/');
  const std::string temporary = path.substr(0, end == std::string::npos ? 0 : end + 1) + std::string(kTemporarySuffix);
  struct stat info {};
  return ::lstat(temporary.c_str(), &info) == 0 ? Skip(temporary, kUnfinished) : Result<void>();
}

// A link may lead to a disk that is not mounted.
Result<void> Finder::SkipGone(const std::string& path) {
  if (IsAnyLink(path)) return Skip(path, kDanglingLink, SkippedFile::Kind::kBrokenLink);
  if (in_list_ && !path.starts_with('/')) set_.lost_lines.push_back(path);
  return {};
}

Result<void> Finder::AddPath(const std::string& path, Origin origin) {
  struct stat info {};
  const int error = ::stat(path.c_str(), &info) == 0 ? 0 : errno;
  if (origin == Origin::kFound && error == 0 && own_.contains({info.st_dev, info.st_ino})) return {};
  if (origin == Origin::kFound && path.ends_with(kTemporarySuffix)) return Skip(path, kUnfinished);
  if (error != 0) {
    if (origin == Origin::kNamed && may_be_gone_ && IsGone(error)) return SkipGone(path);
    if (origin == Origin::kNamed) return tl::unexpected(SystemError(path, "cannot stat", error));
    if (error == ELOOP) return Skip(path, "a link that leads back to itself", SkippedFile::Kind::kBrokenLink);
    if (IsGone(error)) return Skip(path, kDanglingLink, SkippedFile::Kind::kBrokenLink);
    return Skip(path, StrCat("cannot stat: ", std::generic_category().message(error)), SkippedFile::Kind::kUnreadable);
  }
  if (S_ISDIR(info.st_mode)) {
    // Links may lead back up, or to a folder already seen under another name.
    OFINDEX_ASSIGN(const std::string stored, RelativeTo(path, folder_));
    const auto [first, is_new] = folders_.emplace(Inode(info.st_dev, info.st_ino), stored);
    if (is_new) return AddFolder(path, origin);
    return first->second == stored ? Result<void>()
                                   : Skip(path, StrCat("the same folder as ", Printable(first->second)));
  }
  if (!S_ISREG(info.st_mode)) return Skip(path, KindOfSpecialFile(info.st_mode));
  OFINDEX_ASSIGN(std::string stored, StoredPathOfFile(path));
  if (origin == Origin::kNamed) named_.insert(stored);
  files_.emplace(std::move(stored), path);
  return {};
}

// An unreadable file does not stop the others from being found.
Result<void> Finder::AddFound(const std::string& path) {
  Result<void> added = AddPath(path, Origin::kFound);
  if (added || added.error().code != ErrorCode::kIo) return added;
  OFINDEX_ASSIGN(SkippedFile file,
                 Unreadable(path, RelativeTo(path, folder_).value_or(path), std::move(added).error()));
  set_.skipped.push_back(std::move(file));
  return {};
}

// Files come folder by folder, so the folder is resolved once, not once for each of its files.
Result<std::string> Finder::StoredPathOfFile(const std::string& path) {
  const size_t name_at = path.rfind('/') + 1;
  if (name_at == 0) return RelativeTo(path, folder_);
  const std::string_view name = std::string_view(path).substr(name_at);
  if (!last_parent_.empty() && std::string_view(path).substr(0, name_at) == last_parent_) {
    return StrCat(last_stored_parent_, name);
  }
  OFINDEX_ASSIGN(std::string stored, RelativeTo(path, folder_));
  if (!stored.ends_with(name)) return stored;
  last_parent_ = path.substr(0, name_at);
  last_stored_parent_ = stored.substr(0, stored.size() - name.size());
  return stored;
}

Result<void> Finder::AddFolder(const std::string& path, Origin origin) {
  const Result<std::vector<std::string>> names = NamesIn(path);
  if (!names && origin == Origin::kNamed) return tl::unexpected(names.error());
  if (!names) {
    const std::string why = std::generic_category().message(names.error().system);
    return Skip(path, StrCat("cannot list: ", why), SkippedFile::Kind::kUnreadable);
  }
  // If a folder has two names, the first one in natural order counts, not the first on disk.
  for (const std::string& name : *names) {
    if (!IsSkippedName(name)) OFINDEX_TRY(AddFound((fs::path(path) / name).string()));
  }
  return {};
}

Result<void> Finder::AddGlob(const std::string& pattern) {
  glob_t matches{};
  const int result = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches);
  std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  ::globfree(&matches);
  if (result == GLOB_NOMATCH && may_be_gone_) return {};
  if (result == GLOB_NOMATCH) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(pattern), ": the glob matches no file"),
                "name files, a folder, or a glob that matches files");
  }
  if (result != 0) {
    return Fail(ErrorCode::kIo, StrCat(Printable(pattern), ": cannot expand the glob"),
                "make its folders readable, or name one of them instead");
  }
  for (const std::string& path : paths) {
    if (!IsSkippedName(fs::path(path).filename().string())) OFINDEX_TRY(AddFound(path));
  }
  return {};
}

Result<std::vector<std::string>> ReadList(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) return tl::unexpected(SystemError(path, "cannot open the list", errno));
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    bytes += line.size();
    if (bytes > kMaxListBytes) {
      return Fail(ErrorCode::kLimit, StrCat(Printable(path), ": a list of over 1 GiB; expected a path on each line"),
                  "name a folder or a glob instead of a list");
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }
  if (in.bad()) {
    return errno == EINTR ? Interrupted() : tl::unexpected(SystemError(path, "cannot read the list", errno));
  }
  return lines;
}

Result<void> Finder::AddList(const std::string& path) {
  OFINDEX_ASSIGN(const std::vector<std::string> lines, ReadList(path));
  if (path != "-") OFINDEX_TRY(AddSource("@", path));
  for (const std::string& line : lines) {
    if (path == "-") OFINDEX_TRY(AddSource("", line));
    OFINDEX_TRY(AddPath(line, Origin::kNamed));
  }
  return {};
}

Result<void> Finder::AddSource(const char* prefix, const std::string& path) {
  OFINDEX_ASSIGN(const std::string stored, RelativeTo(path, folder_));
  const bool like_list = *prefix == '\0' && stored.starts_with('@');
  set_.sources.push_back(StrCat(like_list ? "./" : prefix, stored));
  return {};
}

Result<void> Finder::Skip(const std::string& path, std::string reason, SkippedFile::Kind kind) {
  OFINDEX_ASSIGN(std::string stored, RelativeTo(path, folder_));
  set_.skipped.push_back({.path = std::move(stored), .reason = std::move(reason), .kind = kind});
  return {};
}

// Two files whose names have the same number claim to be the same shard of a set, and nothing tells which one it is.
// That is an error, unless the user named both.
Result<void> CheckNumbers(const std::vector<Candidate>& candidates, const std::set<std::string>& named) {
  for (size_t i = 1; i < candidates.size(); ++i) {
    const std::string& a = candidates[i - 1].stored_path;
    const std::string& b = candidates[i].stored_path;
    if (!NaturallyEqual(a, b) || (named.contains(a) && named.contains(b))) continue;
    return Fail(ErrorCode::kFormat,
                StrCat(Printable(candidates[i].path), ": has the same number as ", Printable(candidates[i - 1].path)),
                "remove one of the two, or name the files that you want");
  }
  return {};
}

// Rejects sets that a writer was replacing when it was interrupted.
Result<void> CheckAllFinished(const std::vector<Candidate>& candidates) {
  std::map<std::string, bool> marked;  // folder -> whether it has a mark
  for (const Candidate& candidate : candidates) {
    const std::string folder = FolderOf(candidate.path);
    const auto [known, is_new] = marked.emplace(folder, false);
    if (is_new) {
      const std::string mark = folder + "/" + std::string(kUnfinishedName);
      struct stat info {};
      known->second = ::lstat(mark.c_str(), &info) == 0;
      if (!known->second && !IsOutOfReach(errno)) return tl::unexpected(SystemError(mark, "cannot stat", errno));
    }
    if (known->second) OFINDEX_TRY(CheckFinished(folder, fs::path(candidate.path).filename().string()));
  }
  return {};
}

std::vector<Candidate> Finder::Files() const {
  std::vector<Candidate> files;
  for (const auto& [stored, path] : files_) files.push_back({path, stored});
  std::sort(files.begin(), files.end(),
            [](const Candidate& a, const Candidate& b) { return NaturalLess(a.stored_path, b.stored_path); });
  return files;
}

Result<ShardSet> Finder::Finish() {
  set_.candidates = Files();
  OFINDEX_TRY(CheckNumbers(set_.candidates, named_));
  std::vector<std::string> names;
  for (const Candidate& candidate : set_.candidates) names.push_back(candidate.stored_path);
  set_.missing = MissingOfSets(names);

  OFINDEX_TRY(CheckAllFinished(set_.candidates));

  std::map<Inode, std::string> inodes;
  std::vector<Candidate> once;
  for (Candidate& candidate : set_.candidates) {
    auto facts = StatFile(candidate.path);
    if (!facts) {  // removed since it was found, or on a failing disk
      OFINDEX_ASSIGN(SkippedFile file, Unreadable(candidate.path, candidate.stored_path, std::move(facts).error()));
      set_.skipped.push_back(std::move(file));
      continue;
    }
    const auto [first, is_new] = inodes.emplace(Inode(facts->device, facts->inode), candidate.stored_path);
    if (is_new) {
      once.push_back(std::move(candidate));
    } else {
      set_.skipped.push_back(
          {.path = candidate.stored_path, .reason = StrCat("the same file as ", Printable(first->second))});
    }
  }
  set_.candidates = std::move(once);
  std::sort(set_.skipped.begin(), set_.skipped.end(),
            [](const SkippedFile& a, const SkippedFile& b) { return NaturalLess(a.path, b.path); });
  return std::move(set_);
}

}  // namespace

Result<ShardSet> FindShards(const std::vector<std::string>& data, const std::string& index_path,
                            const Progress& progress, size_t known) {
  Finder finder(index_path);
  for (size_t i = 0; i < data.size(); ++i) {
    const Result<void> added = finder.AddArgument(data[i], i < known);
    // A signal ends the reading of a list from a pipe as if it were complete.
    if (progress.cancel) return Interrupted();
    OFINDEX_TRY(added);
  }
  return finder.Finish();
}

Result<std::vector<Candidate>> FilesBelow(const std::string& folder) {
  std::error_code error;
  const fs::path root = fs::absolute(folder, error) / "";  // its name is never that of a list
  if (error) return tl::unexpected(SystemError(folder, "cannot resolve", error.value()));
  Finder finder(root.string());
  OFINDEX_TRY(finder.AddArgument(root.string()));
  return finder.Files();
}

}  // namespace ofindex
