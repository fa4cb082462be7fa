#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// A file named by DATA that is not a shard of the index, and why.
struct SkippedFile {
  enum class Kind : uint8_t {
    kForeign,     ///< not a record file, a FIFO, a second name of a shard
    kBrokenLink,  ///< a link to a file that does not exist
    kUnreadable,  ///< a file or folder that the system does not let us read, or a broken link that belongs to a set
  };

  std::string path;  ///< relative to the index
  std::string reason;
  Kind kind = Kind::kForeign;
  /// The state of a foreign file before it was read. A file whose state is unchanged counts as unchanged, by the rule
  /// for shards (base/shard_identity.h), and need not be read again. A copy of the file has another state.
  std::optional<FileState> state = {};
};

[[nodiscard]] constexpr std::string_view Name(SkippedFile::Kind kind) {
  switch (kind) {
    case SkippedFile::Kind::kForeign: return "foreign";
    case SkippedFile::Kind::kBrokenLink: return "broken_link";
    case SkippedFile::Kind::kUnreadable: return "unreadable";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::optional<SkippedFile::Kind> ParseSkippedKind(std::string_view name) {
  for (const auto kind :
       {SkippedFile::Kind::kForeign, SkippedFile::Kind::kBrokenLink, SkippedFile::Kind::kUnreadable}) {
    if (name == Name(kind)) return kind;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr bool IsUnreadable(const SkippedFile& file) {
  return file.kind == SkippedFile::Kind::kUnreadable;
}

/// Returns the skipped file for `error` about the file at `path`, or the error itself if it is not about one file.
[[nodiscard]] Result<SkippedFile> Unreadable(const std::string& path, const std::string& stored_path, Error error);

}  // namespace ofindex
