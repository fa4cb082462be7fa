#include "index/writing/shard_set_plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "index/output/folder.h"
#include "index/output/set_names.h"
#include "index/output/shard_names.h"
#include "index/shards/shard_families.h"
#include "index/shards/shard_probe.h"
#include "index/shards/shard_set.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Returns the last name of a path, also for "data/" and ".".
std::string NameOf(const std::string& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error).lexically_normal();
  if (whole.filename().empty()) whole = whole.parent_path();
  return whole.filename().string();
}

Result<void> CheckName(const std::string& out, Framing framing, Compression compression) {
  const std::string name = NameOf(out);
  // Spark names TFRecords part-N too.
  const std::optional<Framing> said = IsPartName(name) ? framing : FramingOfName(name);
  if (said && said != framing) {
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(out), ": the name says ", ofindex::Name(*said), ", but the output is ",
                       ofindex::Name(framing)),
                "give it another name, or write the other format");
  }
  if (name.ends_with(".gz") && compression == Compression::kNone) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(out), ": the name says compressed, but the output is not"),
                "compress it with --compress gzip, or remove .gz from the name");
  }
  return {};
}

Result<ShardSetPlan> PlanFile(const ShardSetRequest& request, ShardSetPlan plan) {
  OFINDEX_TRY(CheckName(request.out, request.framing, request.compression));
  OFINDEX_TRY(CheckAlone(request.out));
  plan.folder = fs::path(request.out).parent_path().string();
  plan.paths = {request.out};
  std::error_code error;
  plan.creates_folder = !plan.folder.empty() && !fs::exists(plan.folder, error);
  if (fs::is_directory(request.out, error)) {
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(request.out), ": a folder with the name of a shard; expected a file, or a new name"),
                "name another output, or remove the folder");
  }
  // A dangling link exists, too.
  OFINDEX_ASSIGN(const bool exists, IsTaken(request.out));
  if (exists) plan.replaced = {request.out};
  return plan;
}

std::string NewShardName(Framing framing, Compression compression, const std::string& set, uint64_t number,
                         uint64_t count) {
  if (framing == Framing::kOfRecord) return StrCat("part-", number);
  std::array<char, 64> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "-%05llu-of-%05llu.tfrecord", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(count));
  return StrCat(set, numbers.data(), compression == Compression::kGzip ? ".gz" : "");
}

// Returns the folder itself if `out` is a link to one, without anything after its last name.
Result<std::string> FolderNamed(const std::string& out) {
  fs::path path(out);
  while (path.has_parent_path() && (!path.has_filename() || path.filename() == ".")) path = path.parent_path();
  OFINDEX_ASSIGN(const bool exists, IsTaken(path.string()));
  if (!exists) return path.string();
  std::error_code error;
  const fs::path folder = fs::canonical(path, error);
  if (error) return tl::unexpected(SystemError(out, "cannot follow the link", error.value()));
  if (fs::is_directory(folder, error)) return folder.string();
  return Fail(ErrorCode::kUsage, StrCat(Printable(out), ": a file; expected a folder, or a new name"),
              "to write a file, end its name in .tfrecord or .ofrecord, or name it part-N, without --shards");
}

// Returns true for the names of shards of the plan's set, however many there are.
bool IsOwnName(const ShardSetPlan& plan, std::string_view name) {
  return plan.framing == Framing::kOfRecord ? IsPartName(name) : IsNumberedTfRecord(name, plan.set);
}

// Returns the shards of an earlier set in the plan's folder.
Result<std::vector<std::string>> OldShards(const ShardSetPlan& plan) {
  OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(plan.folder));
  std::vector<std::string> shards;
  for (const std::string& name : names) {
    const fs::path path = fs::path(plan.folder) / name;
    std::error_code ignored;
    if (IsOwnName(plan, name) && !fs::is_directory(path, ignored)) shards.push_back(path.string());
  }
  return shards;
}

// Returns true if a build would include `file` with the shards in `families`. If the content does not decide, or cannot
// be read, the name does.
bool IsTakenBeside(const Candidate& file, const ShardFamilies& families) {
  const auto detect = [&]() -> Result<Detection> {
    OFINDEX_ASSIGN(const File opened, File::OpenRead(file.path));
    OFINDEX_ASSIGN(const FileFacts facts, opened.Facts());
    return DetectBeside(opened, facts.size, file.stored_path, {}, families);
  };
  const Result<Detection> found = detect();
  if (found && found->verdict == Detection::Verdict::kRecords) return true;
  const bool is_foreign = found && found->verdict == Detection::Verdict::kUnknown;
  return !is_foreign && IsShardName(file.stored_path);
}

// Returns the first file, other than shards of the plan's set, that a build of its folder would include with them.
Result<std::optional<std::string>> OtherShard(const ShardSetPlan& plan) {
  ShardFamilies families;
  families.Add(fs::path(plan.paths.front()).filename().string(), {plan.framing, plan.compression});
  OFINDEX_ASSIGN(const std::vector<Candidate> files, FilesBelow(plan.folder));
  for (const Candidate& file : files) {
    if (IsOwnName(plan, file.stored_path) || !IsTakenBeside(file, families)) continue;
    return (fs::path(plan.folder) / file.stored_path).string();
  }
  return std::nullopt;
}

Result<void> CheckNoOtherShard(const ShardSetPlan& plan) {
  OFINDEX_ASSIGN(const std::optional<std::string> other, OtherShard(plan));
  if (!other) return {};
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(*other), ": a shard of another set that a build of ", Printable(plan.folder),
                     " would index with the new one; expected a folder with one set"),
              "name another folder, or move that shard out of this one");
}

Result<ShardSetPlan> PlanFolder(const ShardSetRequest& request, ShardSetPlan plan) {
  plan.folder = request.out;
  OFINDEX_ASSIGN(plan.target, FolderNamed(request.out));
  OFINDEX_ASSIGN(const bool exists, IsTaken(plan.target));
  plan.creates_folder = !exists;
  plan.set = NameOf(plan.target);
  const uint64_t count = std::max<uint64_t>(1, request.shards.value_or(request.default_shards));
  for (uint64_t i = 0; i < count; ++i) {
    plan.paths.push_back(fs::path(request.out) /
                         NewShardName(request.framing, request.compression, plan.set, i, count));
  }
  if (!plan.creates_folder) {
    OFINDEX_ASSIGN(plan.replaced, OldShards(plan));
    OFINDEX_TRY(CheckNoOtherShard(plan));
    // Folders may have names of shards, but not those of shards to be written.
    std::error_code ignored;
    for (const std::string& path : plan.paths) {
      if (fs::is_directory(path, ignored)) plan.replaced.push_back(path);
    }
  }
  return plan;
}

}  // namespace

OutputShape ShapeOf(const ShardSetRequest& request) {
  const bool is_file = !request.shards && !request.out.ends_with('/') && FramingOfName(NameOf(request.out)).has_value();
  return is_file ? OutputShape::kFile : OutputShape::kFolder;
}

Result<ShardSetPlan> PlanShardSet(const ShardSetRequest& request) {
  if (request.out.empty())
    return Fail(ErrorCode::kUsage, "'' is not an output: it is empty; expected the name of a file or a folder");
  if (request.out == "-") {
    return Fail(ErrorCode::kUsage, "cannot write shards to standard output; expected a file or folder name",
                "use `ofindex cat --to tfrecord` to write to standard output");
  }
  if (request.framing == Framing::kOfRecord && request.compression != Compression::kNone) {
    return Fail(ErrorCode::kUsage, "an OFRecord cannot be compressed: none of its readers supports it",
                "write TFRecords, or leave out --compress");
  }
  ShardSetPlan plan{.framing = request.framing, .compression = request.compression};
  const bool is_file = ShapeOf(request) == OutputShape::kFile;
  OFINDEX_ASSIGN(plan, is_file ? PlanFile(request, plan) : PlanFolder(request, plan));
  OFINDEX_TRY(CheckReplaced(plan, request.force, request.inputs));
  return plan;
}

std::string FileNameOf(const std::string& path) { return fs::path(path).filename().string(); }

Result<void> CheckReplaced(const ShardSetPlan& plan, bool force, const InputFiles& inputs) {
  for (const std::string& path : plan.replaced) {
    OFINDEX_TRY(CheckOutput(path, OutputOf(plan.framing), force, inputs));
  }
  return {};
}

Result<void> CheckUnchanged(const ShardSetPlan& plan) {
  std::error_code error;
  if (plan.creates_folder && !fs::exists(plan.folder, error)) return {};
  std::vector<std::string> shards;
  if (plan.is_folder()) {
    OFINDEX_ASSIGN(shards, OldShards(plan));
    OFINDEX_ASSIGN(const std::optional<std::string> other, OtherShard(plan));
    if (other) shards.push_back(*other);
  } else {
    OFINDEX_ASSIGN(const bool exists, IsTaken(plan.paths.front()));
    if (exists) shards = plan.paths;
  }
  for (const std::string& path : shards) {
    if (std::find(plan.replaced.begin(), plan.replaced.end(), path) != plan.replaced.end()) continue;
    return Fail(ErrorCode::kIo, StrCat(Printable(path), ": appeared while the new set was written"),
                "write to a folder that no other program writes to");
  }
  return {};
}

}  // namespace ofindex
