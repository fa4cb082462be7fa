#include "tools/shell/source_index.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/text.h"
#include "index/build/builder.h"
#include "index/catalog/paths.h"
#include "index/finding/resolve_index.h"
#include "index/output/folder.h"
#include "tools/shell/messages.h"
#include "tools/shell/progress_display.h"
#include "tools/shell/shown_paths.h"

namespace ofindex {

namespace fs = std::filesystem;

Result<SourceIndex> SourceIndex::Of(const std::vector<std::string>& data, bool with_columns, Context& context) {
  SourceIndex source;
  if (data.size() == 1 && !data.front().starts_with('@')) {
    if (data.front().ends_with(kIndexSuffix)) {
      OFINDEX_ASSIGN(source.path_, ResolveIndex(data.front()));
      return source;
    }
    OFINDEX_ASSIGN(std::optional<std::string> index, FindIndex(data.front()));
    if (index) {
      source.path_ = *std::move(index);
      return source;
    }
  }
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "ofindex-XXXXXX").string();
  if (error || ::mkdtemp(folder.data()) == nullptr) {
    return tl::unexpected(SystemError(folder, "cannot create a temporary folder", errno));
  }
  source.folder_ = folder;
  source.path_ = folder + "/source.ofidx";
  BuildOptions options;
  options.data = data;
  options.index = source.path_;
  options.save_after = kNeverSave;  // the folder is removed
  if (!with_columns) {
    OFINDEX_ASSIGN(options.columns, ColumnChoice::Parse("none"));
  }
  const ProgressDisplay display("reading", context);
  OFINDEX_ASSIGN(const BuildReport report, BuildIndex(options, context.progress));
  for (const SkippedFile& file : report.skipped) {
    if (IsUnreadable(file)) {
      return Fail(ErrorCode::kIo, StrCat(Printable(source.Shown(file.path)), ": ", Printable(file.reason)));
    }
  }
  source.notes_ = NotesOf(report, [&source](const std::string& path) { return source.Shown(path); });
  return source;
}

std::string SourceIndex::Shown(const std::string& path) const {
  if (folder_.empty()) return path;
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::path(folder_) / path, error);
  if (error) return path;
  const fs::path here = fs::current_path(error);
  return error ? whole.string() : NearPath(whole, here);
}

SourceIndex::SourceIndex(SourceIndex&& other) noexcept
    : path_(std::move(other.path_)), notes_(std::move(other.notes_)), folder_(std::exchange(other.folder_, {})) {}

SourceIndex::~SourceIndex() {
  if (folder_.empty()) return;
  // fs::remove_all ends the process if memory runs out. Then the folder stays where temporary files are.
  static_cast<void>(WithMemory("a temporary folder", [this]() -> Result<void> {
    OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(folder_));
    for (const std::string& name : names) ::unlink(StrCat(folder_, "/", name).c_str());
    return {};
  }));
  ::rmdir(folder_.c_str());
}

}  // namespace ofindex
