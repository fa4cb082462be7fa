#include "index/keys/key_paths.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/checksum.h"
#include "base/file.h"
#include "base/text.h"
#include "index/keys/key_format.h"
#include "index/output/atomic_file.h"
#include "index/output/folder.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// A file name has at most 255 bytes, of which those of the index and of a temporary file take some.
constexpr size_t kMaxEscapedBytes = 100;
constexpr size_t kKeptBytes = 60;

bool IsSafe(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

std::string Escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<uint8_t>(c);
    text += IsSafe(c) ? std::string(1, c) : "%" + ToHex(ByteView(&byte, 1));
  }
  if (text.size() <= kMaxEscapedBytes) return text;
  return StrCat(text.substr(0, kKeptBytes), "%%", ToHex(Xxh3(AsBytes(name))));  // no name is escaped like this
}

}  // namespace

std::string KeyPathOf(const std::string& index, std::string_view name) {
  return StrCat(index, kKeySuffix, Escaped(name));
}

Result<bool> IsKeyFile(const std::string& path) {
  const Result<File> file = File::OpenRead(path);
  if (!file) {
    const int why = file.error().system;  // 0: not a regular file
    if (why == 0 || why == ENOENT || why == EACCES || why == ELOOP) return false;
    return tl::unexpected(file.error());
  }
  std::array<uint8_t, kSealedHeaderBytes> head{};
  OFINDEX_ASSIGN(const size_t n, file->ReadAt(0, head));
  const std::string_view text = AsText(ByteView(head).first(n));
  return text.starts_with(kKeyMagic) || std::all_of(text.begin(), text.end(), [](char c) { return c == 0; });
}

Result<std::vector<std::string>> KeyFilesOf(const std::string& index) {
  OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(FolderOf(index)));
  const std::string beginning = fs::path(index).filename().string() + std::string(kKeySuffix);
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (!name.starts_with(beginning) || name.ends_with(kTemporarySuffix)) continue;
    std::string path = index + name.substr(beginning.size() - kKeySuffix.size());
    // One that cannot be read now may be a key: whoever opens it gets the error.
    if (IsKeyFile(path).value_or(true)) paths.push_back(std::move(path));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace ofindex
