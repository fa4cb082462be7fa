#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ofindex {

/// A shard as an update finds it.
struct FileOnDisk {
  std::string path;
  std::string bytes;
  uint64_t inode = 0;
  uint64_t records = 0;        ///< that a build finds in it
  bool broken_stream = false;  ///< a build finds bytes that do not inflate
};

/// The ordinals that an index promises, from whole files alone: which bytes were at which path, and which numbers their
/// records were given.
class OrdinalModel {
 public:
  /// Builds an index of `files`, in natural order of paths.
  explicit OrdinalModel(const std::vector<FileOnDisk>& files);

  /// Updates it.
  void Update(const std::vector<FileOnDisk>& files);

  /// Forgets what is gone, and gives all records the ordinals of a build, as part of the last update.
  void Prune();

  /// Returns true if Prune() would leave out a record that is gone, or give one another ordinal.
  [[nodiscard]] bool MovesIfPruned() const;

  /// Returns the ordinals of the records in the file at `path`, by their offsets.
  [[nodiscard]] const std::vector<uint64_t>& OrdinalsOf(const std::string& path) const;

  [[nodiscard]] uint64_t ordinals() const { return ordinals_; }
  [[nodiscard]] int64_t generation() const { return generation_; }

  // Of the last update.
  [[nodiscard]] bool changed() const { return changed_; }
  [[nodiscard]] uint64_t new_records() const { return new_records_; }
  [[nodiscard]] uint64_t gone_records() const { return gone_records_; }

  /// Returns true if all that was added since the build, or since it was pruned, comes last in natural order, and
  /// nothing has gone.
  [[nodiscard]] bool only_appended() const { return only_appended_; }

 private:
  // What was once at a path.
  struct Version {
    FileOnDisk file;
    std::vector<uint64_t> ordinals;
    int64_t gone_since = 0;  // 0: it is there
    const FileOnDisk* found = nullptr;
  };
  using MayBe = std::function<bool(const FileOnDisk&, const Version&)>;

  void Match(const std::vector<FileOnDisk>& files, const MayBe& may_be);
  void Settle();
  void Add(const std::vector<FileOnDisk>& files);
  void Number(Version& version, uint64_t records);
  [[nodiscard]] bool IsTaken(const FileOnDisk& file) const;
  [[nodiscard]] bool IsLatestAtItsPath(const Version& version) const;

  std::vector<Version> versions_;
  uint64_t ordinals_ = 0;
  int64_t generation_ = 1;
  bool changed_ = true;
  uint64_t new_records_ = 0;
  uint64_t gone_records_ = 0;
  bool only_appended_ = true;
};

}  // namespace ofindex
