#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file_watch.h"
#include "base/result.h"

namespace ofindex {

/// An index file that is held open: the index of one build, whatever becomes of its name. Immutable, thread-safe,
/// usable after fork.
///
/// Everything that is asked of one dataset is asked of one IndexFile, or is compared with its identity. A build that
/// replaces the index renames another file over it, so that this one goes on answering as before.
class IndexFile {
 public:
  /// Opens the index at `path`. Errors: kNotFound  there is no such file; kIo.
  [[nodiscard]] static Result<std::shared_ptr<const IndexFile>> Open(const std::string& path);

  /// The path that it was opened by, for messages.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The working directory in which it was opened; empty if that does not matter.
  [[nodiscard]] const std::string& anchor() const { return anchor_; }

  /// The path that names it whatever the working directory is.
  [[nodiscard]] std::string place() const { return PathFrom(anchor_, path_); }

  /// What tells this index from every other one, of other data or of the same: see IdentityOf.
  [[nodiscard]] uint64_t identity() const { return identity_; }

  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] const File& file() const { return watch_.file(); }

  /// Succeeds if the bytes of the file are still those that were opened. One system call, if nobody touched the file.
  /// Errors: kStale  the file was rewritten in place (hint: open the dataset again).
  [[nodiscard]] Result<void> CheckUnchanged() const;

  /// True if `path` no longer names this file.
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

/// The identity of an index: a hash of the file's size and first 128 KiB, where the facts of the dataset lie
/// (index/database/schema.h), its id and the hash of all other rows among them. Errors: kIo.
[[nodiscard]] Result<uint64_t> IdentityOf(const File& index);

/// The error for an index that is not the one that was opened.
[[nodiscard]] tl::unexpected<Error> ReplacedIndex(const std::string& path);

}  // namespace ofindex
