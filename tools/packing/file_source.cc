#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "proto/payload_builder.h"
#include "proto/wire.h"
#include "tools/packing/pack_source.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFilename = "filename";
constexpr std::string_view kLabel = "label";

/// A file that becomes a record.
struct PackedFile {
  std::string path;    // to open it by
  std::string name;    // below its source
  std::string folder;  // that it lies in, below its source; empty if it lies there itself
};

bool IsHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

Result<void> AddFolder(const std::string& source, std::vector<PackedFile>& files, Progress& progress) {
  std::error_code error;
  fs::recursive_directory_iterator entries(source, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    if (progress.cancel) return Interrupted();
    const fs::path& path = entries->path();
    std::error_code ignored;
    if (IsHidden(path)) {
      if (entries->is_directory(ignored)) entries.disable_recursion_pending();
    } else if (entries->is_regular_file(ignored)) {
      const fs::path name = path.lexically_relative(source);
      files.push_back({path.string(), name.generic_string(), name.parent_path().generic_string()});
    }
  }
  if (error) return tl::unexpected(SystemError(source, "cannot list", error.value()));
  return {};
}

Result<std::vector<PackedFile>> FilesOf(const std::vector<std::string>& sources, Progress& progress) {
  std::vector<PackedFile> files;
  for (const std::string& source : sources) {
    std::error_code error;
    if (fs::is_directory(source, error)) {
      OFINDEX_TRY(AddFolder(source, files, progress));
      continue;
    }
    OFINDEX_TRY(StatFile(source));
    files.push_back({source, fs::path(source).filename().string(), ""});
  }
  std::sort(files.begin(), files.end(),
            [](const PackedFile& a, const PackedFile& b) { return NaturalLess(a.name, b.name); });
  return files;
}

class FileSource : public PackSource {
 public:
  FileSource(std::vector<PackedFile> files, const PackRequest& request, Progress& progress)
      : files_(std::move(files)), request_(request), progress_(progress), builder_(request.payload) {
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
      return Fail(ErrorCode::kLimit, StrCat(Printable(path), ": ", FormatCount(facts.size),
                                            " bytes; a protobuf message has at most ", FormatCount(kMaxMessageBytes)));
    }
    content_.resize(facts.size);
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, content_));
    OFINDEX_ASSIGN(const FileFacts after, file.Facts());
    if (got == content_.size() && after.size == facts.size && after.mtime_ns == facts.mtime_ns) return {};
    return Fail(ErrorCode::kIo, StrCat(Printable(path), ": changes while it is read"),
                "pack it when nothing writes to it any more");
  }

  std::vector<PackedFile> files_;
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
    return Fail(ErrorCode::kUsage, StrCat("--field ", request.field, ": the name of another feature that is written"),
                "choose another name");
  }
  OFINDEX_ASSIGN(std::vector<PackedFile> files, FilesOf(request.sources, progress));
  if (files.empty()) {
    return Fail(ErrorCode::kFormat, StrCat(Printable(request.sources.front()), ": no file in it"),
                "names that begin with a dot are passed over");
  }
  return std::make_unique<FileSource>(std::move(files), request, progress);
}

}  // namespace ofindex
