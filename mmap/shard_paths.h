#pragma once

#include <string>
#include <string_view>

namespace ofindex {

/// The rule by which shard paths of an index become paths on disk. A value type.
///
/// Shard paths are relative to the index's folder. A copy of the dataset elsewhere is read through a root: the shard
/// "train/part-0" is at ROOT/train/part-0 or, if the folder itself was copied, at ROOT/part-0. A path that leads out of
/// the index's folder ("../train/part-0", "/data/train/part-0") can only be found at ROOT/part-0.
class ShardPaths {
 public:
  /// Uses the paths in the index. A relative `folder` is resolved against the working directory `anchor`.
  explicit ShardPaths(std::string folder, std::string anchor = {})
      : folder_(std::move(folder)), anchor_(std::move(anchor)) {}

  /// Looks for shards below `root`. `first_path` is the path of any shard; whether that shard exists below `root`
  /// determines which of the two layouts applies. `data_dir_bytes` is the length of the common folder with which all
  /// paths begin.
  ShardPaths(std::string root, std::string_view first_path, size_t data_dir_bytes, std::string anchor = {});

  /// Returns the path of a shard, as shown to users.
  [[nodiscard]] std::string PathOf(std::string_view stored_path) const;

  /// Returns the path to open the shard by, which does not depend on the current working directory.
  [[nodiscard]] std::string PlaceOf(std::string_view stored_path) const;

 private:
  std::string folder_;
  std::string anchor_;
  size_t skip_ = 0;  // length of the prefix of each stored path that the folder replaces
};

}  // namespace ofindex
