#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ofindex {

struct ShardRow;

inline constexpr std::string_view kIndexSuffix = ".ofidx";
inline constexpr std::string_view kMapSuffix = "-map";

/// The index that belongs to `data`, a file or folder: "train/" -> "train.ofidx", beside it.
/// Errors: kUsage  `data` is empty, or has no name that an index could be called after (as "/" has not).
[[nodiscard]] Result<std::string> IndexPathOf(const std::string& data);

/// The index that `name` means wherever a verb takes one: itself, if it ends in .ofidx or is an SQLite file, else the
/// one of that DATA. Errors: kUsage  `name` is the map of an index; those of IndexPathOf.
[[nodiscard]] Result<std::string> ResolveIndex(const std::string& name);

[[nodiscard]] inline std::string MapPathOf(const std::string& index) { return index + std::string(kMapSuffix); }

/// The error for an argument that names nothing: kUsage, with the system's number.
[[nodiscard]] Error NoSuchPath(const std::string& path);

/// Folder that `path` is in, as a prefix to open files by: "a/b" -> "a", "b" -> ".".
[[nodiscard]] std::string FolderOf(const std::string& path);

/// `path` written relative to `folder`, both as seen from the working directory: what an index stores, so that it can
/// move together with its dataset. Links in the last component of `path` are kept, those before it followed, so that
/// ".." means what the system takes it for. Errors: kUsage  `path` is empty; kIo.
[[nodiscard]] Result<std::string> RelativeTo(const std::string& path, const std::string& folder);

/// How many bytes at the front of the paths of all `shards`, up to and with a '/', name one folder that they all lie
/// in.
[[nodiscard]] size_t CommonFolderBytes(const std::vector<ShardRow>& shards);

}  // namespace ofindex
