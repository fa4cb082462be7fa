#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file_watch.h"
#include "base/result.h"

namespace ofindex {

/// An open index file: the index of one build, even if its name is removed or reused. Immutable, thread-safe, usable
/// after fork.
///
/// Everything read from one dataset is read from one IndexFile, or compared with its identity. A build that replaces
/// the index renames another file over it, so this one keeps answering as before.
class IndexFile {
 public:
  /// Opens the index at `path`. Errors: kNotFound if there is no such file; kIo.
  [[nodiscard]] static Result<std::shared_ptr<const IndexFile>> Open(const std::string& path);

  /// Returns the path by which the file was opened, for messages.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns the working directory in which the file was opened; empty if that does not matter.
  [[nodiscard]] const std::string& anchor() const { return anchor_; }

  /// Returns a path to the file that does not depend on the working directory.
  [[nodiscard]] std::string place() const { return PathFrom(anchor_, path_); }

  /// Returns the identity, which differs from that of any other index, even one of the same data: see IdentityOf.
  [[nodiscard]] uint64_t identity() const { return identity_; }

  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] const File& file() const { return watch_.file(); }

  /// Succeeds if the bytes of the file are still those that were opened. One system call if the file was not touched.
  /// Errors: kStale if the file was rewritten in place (hint: open the dataset again).
  [[nodiscard]] Result<void> CheckUnchanged() const;

  /// Returns true if `path` no longer names this file; false if that cannot be told.
  [[nodiscard]] bool Replaced() const;

 private:
  IndexFile(File file, std::string anchor) : path_(file.path()), anchor_(std::move(anchor)), watch_(std::move(file)) {}

  std::string path_;
  std::string anchor_;
  FileWatch watch_;
  uint64_t identity_ = 0;
  uint64_t size_ = 0;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
};

/// Returns the identity of an index: a hash of the file's size and first 128 KiB, which hold the facts of the dataset
/// (index/database/schema.h), including its id and the hash of all other rows. Errors: kIo.
[[nodiscard]] Result<uint64_t> IdentityOf(const File& index);

/// Returns the error for an index that is no longer the one that was opened.
[[nodiscard]] tl::unexpected<Error> ReplacedIndex(const std::string& path);

}  // namespace ofindex
