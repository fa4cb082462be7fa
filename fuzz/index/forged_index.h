#pragma once

#include <string>

#include "fuzz/input.h"

namespace ofindex {

/// An index with changed rows, blobs and bytes, and its map gone. It lies next to the shards of SmallDataset, or of
/// GrownDataset, under another name. One at a time; removed with this object.
class ForgedIndex {
 public:
  /// Makes the changes that `input` describes, to the index of a dataset, or of one that was updated. Checksums are
  /// mended, unless `input` says otherwise or the last change is one of bytes.
  ForgedIndex(bool is_updated, FuzzInput& input);
  ~ForgedIndex();
  ForgedIndex(const ForgedIndex&) = delete;
  ForgedIndex& operator=(const ForgedIndex&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns whether anything was changed.
  [[nodiscard]] bool is_changed() const { return is_changed_; }

 private:
  std::string path_;
  bool is_changed_ = false;
};

}  // namespace ofindex
