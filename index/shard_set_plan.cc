#include "index/shard_set_plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool IsPartName(std::string_view name) { return name.starts_with("part-") && IsNumber(name.substr(5)); }

std::string_view WithoutGz(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name;
}

// True of NAME-00000-of-00008.tfrecord and the same with .gz: what this writer calls TFRecords.
bool IsNumberedTfRecord(std::string_view file, std::string_view name) {
  file = WithoutGz(file);
  if (!file.starts_with(name) || !file.ends_with(".tfrecord")) return false;
  file.remove_prefix(name.size());
  file.remove_suffix(9);
  const size_t of = file.find("-of-");
  return of != std::string_view::npos && file.starts_with('-') && IsNumber(file.substr(1, of - 1)) &&
         IsNumber(file.substr(of + 4));
}

// The format that a file's name says, if it says one.
std::optional<Framing> FramingOfName(std::string_view name) {
  if (WithoutGz(name).ends_with(".tfrecord")) return Framing::kTfRecord;
  if (name.ends_with(".ofrecord") || IsPartName(name)) return Framing::kOfRecord;
  return std::nullopt;
}

// The last name of a path: also of "data/" and of ".".
std::string NameOf(const std::string& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error).lexically_normal();
  if (whole.filename().empty()) whole = whole.parent_path();
  return whole.filename().string();
}

Result<void> CheckName(const std::string& out, Framing framing, Compression compression) {
  const std::string name = NameOf(out);
  // part-N is a name that Spark gives to TFRecords too.
  const std::optional<Framing> said = IsPartName(name) ? framing : FramingOfName(name);
  if (said && said != framing) {
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(out), ": the name says ", ofindex::Name(*said), ", and what is to be written is ",
                       ofindex::Name(framing)),
                "give it another name, or write the other format");
  }
  if (name.ends_with(".gz") && compression == Compression::kNone) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(out), ": the name says that it is compressed"),
                "compress it with --compress gzip, or leave .gz out of the name");
  }
  return {};
}

Result<ShardSetPlan> PlanFile(const ShardSetRequest& request, ShardSetPlan plan) {
  OFINDEX_TRY(CheckName(request.out, request.framing, request.compression));
  plan.folder = fs::path(request.out).parent_path().string();
  plan.paths = {request.out};
  std::error_code error;
  plan.creates_folder = !plan.folder.empty() && !fs::exists(plan.folder, error);
  if (!fs::exists(request.out, error)) return plan;
  if (fs::is_directory(request.out, error)) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(request.out), ": a folder, with the name of a shard"));
  }
  plan.replaced = {request.out};
  return plan;
}

std::string ShardName(Framing framing, Compression compression, const std::string& set, uint64_t number,
                      uint64_t count) {
  if (framing == Framing::kOfRecord) return StrCat("part-", number);
  std::array<char, 64> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "-%05llu-of-%05llu.tfrecord", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(count));
  return StrCat(set, numbers.data(), compression == Compression::kGzip ? ".gz" : "");
}

Result<ShardSetPlan> PlanFolder(const ShardSetRequest& request, ShardSetPlan plan) {
  std::error_code error;
  if (fs::exists(request.out, error) && !fs::is_directory(request.out, error)) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(request.out), ": a file; expected a folder, or a new name"),
                "a file is written where the name ends in .tfrecord or .ofrecord, or is part-N, without --shards");
  }
  plan.folder = request.out;
  plan.creates_folder = !fs::exists(request.out, error);
  const std::string set = NameOf(request.out);
  const uint64_t count = std::max<uint64_t>(1, request.shards.value_or(request.default_shards));
  for (uint64_t i = 0; i < count; ++i) {
    plan.paths.push_back(fs::path(request.out) / ShardName(request.framing, request.compression, set, i, count));
  }
  if (plan.creates_folder) return plan;
  fs::directory_iterator entries(request.out, error);
  if (error) return tl::unexpected(SystemError(request.out, "cannot list", error.value()));
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (!IsPartName(name) && !IsNumberedTfRecord(name, set)) continue;
    if (IsPartName(name) != (request.framing == Framing::kOfRecord)) {
      return Fail(ErrorCode::kUsage,
                  StrCat(Printable(entry.path().string()), ": a shard of another format than is to be written"),
                  "name another output: a dataset has one format");
    }
    if (!entry.is_directory(error)) plan.replaced.push_back(entry.path().string());
  }
  std::sort(plan.replaced.begin(), plan.replaced.end(), NaturalLess);
  return plan;
}

}  // namespace

Result<ShardSetPlan> PlanShardSet(const ShardSetRequest& request) {
  if (request.out.empty()) return Fail(ErrorCode::kUsage, "the output has no name");
  if (request.out == "-") {
    return Fail(ErrorCode::kUsage, "shards are files, with names; standard output is none",
                "`ofindex cat --to tfrecord` writes to standard output");
  }
  if (request.framing == Framing::kOfRecord && request.compression != Compression::kNone) {
    return Fail(ErrorCode::kUsage, "an OFRecord cannot be compressed: none of its readers would take it",
                "write TFRecords, or leave --compress out");
  }
  ShardSetPlan plan{.framing = request.framing, .compression = request.compression};
  const std::string name = NameOf(request.out);
  const bool is_file = !request.shards && !request.out.ends_with('/') && FramingOfName(name).has_value();
  OFINDEX_ASSIGN(plan, is_file ? PlanFile(request, plan) : PlanFolder(request, plan));
  if (plan.replaced.empty() || request.force) return plan;
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(plan.replaced.front()), ": is there already",
                     plan.replaced.size() == 1 ? "" : StrCat(", with ", plan.replaced.size() - 1, " more")),
              "name another output, or replace it with --force");
}

}  // namespace ofindex
