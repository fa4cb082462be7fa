#include "index/catalog/skipped_file.h"

#include <cerrno>
#include <utility>

#include "base/text.h"

namespace ofindex {

Result<SkippedFile> Unreadable(const std::string& path, const std::string& stored_path, Error error) {
  const bool of_process = error.system == EMFILE || error.system == ENFILE || error.system == ENOMEM;
  if (of_process) return tl::unexpected(std::move(error));
  std::string reason = std::move(error.message);
  const std::string prefix = Printable(path) + ": ";
  if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
  return SkippedFile{
      .path = stored_path, .reason = std::move(reason), .kind = SkippedFile::Kind::kUnreadable, .state = {}};
}

}  // namespace ofindex
