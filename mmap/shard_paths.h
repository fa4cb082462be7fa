#pragma once

#include <string>
#include <string_view>

namespace ofindex {

/// Where the shards of an index are looked for. A value.
///
/// Shard paths are relative to the index's folder. A copy of the dataset elsewhere is read through a root: a shard that
/// the index calls "train/part-0" is ROOT/train/part-0 or, where the folder itself was copied, ROOT/part-0. A path that
/// leads out of the index's folder ("../train/part-0", "/data/train/part-0") can only be the latter.
class ShardPaths {
 public:
  /// Shards where the index says. A relative `folder` is one of the working directory `anchor`.
  explicit ShardPaths(std::string folder, std::string anchor = {})
      : folder_(std::move(folder)), anchor_(std::move(anchor)) {}

  /// Shards below `root`. `first_path` is the path of any shard, and `data_dir_bytes` how much at the front of all
  /// paths is their common folder; which of the two layouts it is, is settled by looking for that shard.
  ShardPaths(std::string root, std::string_view first_path, size_t data_dir_bytes, std::string anchor = {});

  /// Path of a shard, as people are told of it.
  [[nodiscard]] std::string PathOf(std::string_view stored_path) const;

  /// Path to open it by, whatever the working directory is by now.
  [[nodiscard]] std::string PlaceOf(std::string_view stored_path) const;

 private:
  std::string folder_;
  std::string anchor_;
  size_t skip_ = 0;  // bytes at the front of each stored path that the folder stands for
};

}  // namespace ofindex
