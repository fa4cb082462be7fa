#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ofindex {

struct ShardRow;

inline constexpr std::string_view kIndexSuffix = ".ofidx";
inline constexpr std::string_view kMapSuffix = "-map";
inline constexpr std::string_view kAttachedSuffix = "-attached";

/// Returns the path of the index of `data`, a file or folder: "train/" -> "train.ofidx", next to it.
/// Errors: kUsage if `data` is empty, or has no name to derive the index's from (such as "/").
[[nodiscard]] Result<std::string> IndexPathOf(const std::string& data);

/// The environment variable that names a folder for the indexes of data elsewhere, such as data in a folder that cannot
/// be written to. The command's --index-dir sets it.
inline constexpr char kIndexFolderVariable[] = "OFINDEX_INDEX_DIR";

/// Returns the folder that the environment names for indexes; empty if it names none.
[[nodiscard]] std::string IndexFolder();

/// Returns the path of the index of `data` below `folder`: the absolute path of `data`, links resolved, is continued
/// there, so that no two data share an index. Errors: those of IndexPathOf.
[[nodiscard]] Result<std::string> IndexPathBelow(const std::string& folder, const std::string& data);

/// Returns the path at which a build of `data` writes the index: below IndexFolder() or, if there is none, next to
/// `data`. Errors: those of IndexPathOf.
[[nodiscard]] Result<std::string> NewIndexPathOf(const std::string& data);

[[nodiscard]] inline std::string MapPathOf(const std::string& index) { return index + std::string(kMapSuffix); }

/// Returns the path of the file of columns that are attached to the records of `index`.
[[nodiscard]] inline std::string AttachedPathOf(const std::string& index) {
  return index + std::string(kAttachedSuffix);
}

/// Returns the path of that file while the index is being replaced by one with other ordinals.
[[nodiscard]] inline std::string NextAttachedPathOf(const std::string& index) {
  return AttachedPathOf(index) + "-next";
}

/// Returns `path` relative to `folder`, both given from the working directory: the form stored in an index, so that it
/// can move together with its dataset. A link in the last component of `path` is kept, links before it are followed, so
/// that ".." means what it means to the system. Errors: kUsage if `path` is empty; kIo.
[[nodiscard]] Result<std::string> RelativeTo(const std::string& path, const std::string& folder);

/// Returns the length in bytes of the prefix, up to and including a '/', that names one folder holding all `shards`
/// that are there.
[[nodiscard]] size_t CommonFolderBytes(const std::vector<ShardRow>& shards);

}  // namespace ofindex
