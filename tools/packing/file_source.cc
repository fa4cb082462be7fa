#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/output/folder.h"
#include "index/output/unfinished_set.h"
#include "proto/encode/payload_builder.h"
#include "proto/wire/wire.h"
#include "tools/packing/pack_source.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFilename = "filename";
constexpr std::string_view kLabel = "label";

/// A file that becomes a record.
struct PackedFile {
  std::string path;    // for opening the file
  std::string name;    // relative to its source
  std::string folder;  // its folder, relative to its source; empty if it is in the source itself
};

bool IsHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// Collects the files of all sources, and notes about the entries of their folders that it skips.
class FileFinder {
 public:
  explicit FileFinder(Progress& progress) : progress_(progress) {}

  Result<void> AddSource(const std::string& source) {
    std::error_code error;
    if (fs::is_directory(source, error)) return AddFolder(source, source);
    OFINDEX_TRY(StatFile(source));
    files_.push_back({source, fs::path(source).filename().string(), ""});
    return {};
  }

  // In natural order; files of the same name from two sources are ordered by path.
  std::vector<PackedFile> Take() {
    std::sort(files_.begin(), files_.end(), [](const PackedFile& a, const PackedFile& b) {
      return a.name != b.name ? NaturalLess(a.name, b.name) : a.path < b.path;
    });
    return std::move(files_);
  }

  [[nodiscard]] const std::vector<std::string>& skipped() const { return skipped_; }

 private:
  // Follows links to folders, but searches each folder only once, since a link may lead back up.
  Result<void> AddFolder(const std::string& source, const fs::path& folder) {
    OFINDEX_ASSIGN(const FileFacts facts, StatFile(folder.string()));
    if (!folders_.insert({facts.device, facts.inode}).second) return Skip(folder, "a folder that was searched already");
    OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(folder.string()));
    std::vector<fs::path> paths;
    for (const std::string& name : names) paths.push_back(folder / name);
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      if (progress_.cancel) return Interrupted();
      if (!IsHidden(path)) OFINDEX_TRY(AddEntry(source, path));
    }
    return {};
  }

  Result<void> AddEntry(const std::string& source, const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (path.string().ends_with(kTemporarySuffix)) return Skip(path, "a file or folder that a writer has not finished");
    if (fs::is_directory(status)) return AddFolder(source, path);
    if (status.type() == fs::file_type::none && error != std::errc::too_many_symbolic_link_levels) {
      return tl::unexpected(SystemError(path.string(), "cannot stat", error.value()));
    }
    if (!fs::exists(status)) return Skip(path, "a dangling link");
    if (!fs::is_regular_file(status)) return Skip(path, "not a regular file");
    if (path.filename().string() == kUnfinishedName) return {};
    const fs::path name = path.lexically_relative(source);
    files_.push_back({path.string(), name.generic_string(), name.parent_path().generic_string()});
    return {};
  }

  Result<void> Skip(const fs::path& path, const char* why) {
    skipped_.push_back(StrCat("skipped ", Printable(path.string()), ": ", why));
    return {};
  }

  Progress& progress_;
  std::vector<PackedFile> files_;
  std::vector<std::string> skipped_;
  std::set<std::pair<uint64_t, uint64_t>> folders_;
};

class FileSource : public PackSource {
 public:
  FileSource(std::vector<PackedFile> files, std::vector<std::string> skipped, const PackRequest& request,
             Progress& progress)
      : files_(std::move(files)),
        skipped_(std::move(skipped)),
        request_(request),
        progress_(progress),
        builder_(request.payload) {
    std::vector<std::string> folders;
    for (const PackedFile& file : files_) folders.push_back(file.folder);
    std::sort(folders.begin(), folders.end(), NaturalLess);
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
    for (const std::string& folder : folders) {
      if (folder.empty()) continue;
      labels_.emplace(folder, labels_.size());
      names_.push_back(folder);
    }
  }

  [[nodiscard]] uint64_t records() const override { return files_.size(); }
  [[nodiscard]] std::vector<std::string> skipped() const override { return skipped_; }

  [[nodiscard]] std::vector<PackedFeature> features() const override {
    std::vector<PackedFeature> features = {{request_.field, FeatureKind::kBytes},
                                           {std::string(kFilename), FeatureKind::kBytes}};
    if (!labels_.empty()) features.push_back({std::string(kLabel), FeatureKind::kInt64});
    return features;
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (const PackedFile& file : files_) paths.push_back(file.path);
    return paths;
  }

  [[nodiscard]] std::string labels() const override {
    std::string lines;
    for (size_t i = 0; i < names_.size(); ++i) lines += StrCat(i, "\t", Printable(names_[i]), "\n");
    return lines;
  }

  Result<void> ForEach(const TakePayload& take) override {
    const auto order = OrderOf(files_.size(), request_.seed);
    for (uint64_t i = 0; i < files_.size(); ++i) {
      if (progress_.cancel) return Interrupted();
      OFINDEX_ASSIGN(const ByteView payload, PayloadOf(files_[order(i)]));
      OFINDEX_TRY(take(payload));
    }
    return {};
  }

 private:
  Result<ByteView> PayloadOf(const PackedFile& packed) {
    OFINDEX_TRY(Read(packed.path));
    const auto label = labels_.find(packed.folder);
    const ByteView content = content_;
    const ByteView name = AsBytes(packed.name);
    builder_.Clear();
    OFINDEX_TRY(builder_.Add(AsBytes(request_.field), FeatureData::Bytes(std::span(&content, 1))));
    OFINDEX_TRY(builder_.Add(AsBytes(kFilename), FeatureData::Bytes(std::span(&name, 1))));
    if (label != labels_.end()) {
      OFINDEX_TRY(builder_.Add(AsBytes(kLabel), FeatureData::Int64s(std::span(&label->second, 1))));
    }
    progress_.bytes_done += content_.size();
    return builder_.Finish();
  }

  Result<void> Read(const std::string& path) {
    OFINDEX_ASSIGN(const File file, File::OpenRead(path));
    OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
    if (facts.size > kMaxMessageBytes) {
      return Fail(ErrorCode::kLimit,
                  StrCat(Printable(path), ": ", FormatCount(facts.size), " bytes; a protobuf message has at most ",
                         FormatCount(kMaxMessageBytes)),
                  "leave the file out, or cut it into parts");
    }
    content_.resize(facts.size);
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, content_));
    OFINDEX_ASSIGN(const FileFacts after, file.Facts());
    if (got == content_.size() && after.size == facts.size && after.mtime_ns == facts.mtime_ns) return {};
    return Fail(ErrorCode::kIo, StrCat(Printable(path), ": changed while it was read"),
                "pack it when no other process writes to it");
  }

  std::vector<PackedFile> files_;
  std::vector<std::string> skipped_;
  PackRequest request_;
  Progress& progress_;
  std::map<std::string, int64_t> labels_;  // by folder
  std::vector<std::string> names_;         // by label
  std::vector<uint8_t> content_;
  PayloadBuilder builder_;
};

}  // namespace

Result<std::unique_ptr<PackSource>> OpenFileSource(const PackRequest& request, Progress& progress) {
  if (request.field == kFilename || request.field == kLabel) {
    return Fail(ErrorCode::kUsage, StrCat("--field ", request.field, ": another feature of the records has this name"),
                "choose another name");
  }
  FileFinder finder(progress);
  for (const std::string& source : request.sources) OFINDEX_TRY(finder.AddSource(source));
  std::vector<PackedFile> files = finder.Take();
  if (files.empty()) {
    return Fail(ErrorCode::kFormat, StrCat(Printable(request.sources.front()), ": no file in it"),
                "names that begin with a dot are skipped");
  }
  return std::make_unique<FileSource>(std::move(files), finder.skipped(), request, progress);
}

}  // namespace ofindex
