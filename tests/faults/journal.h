#pragma once

#include <sys/types.h>

#include <cstddef>
#include <mutex>
#include <string>

namespace ofindex::faults {

/// The record of what a process does to watched files, in FAULTS_JOURNAL: a line per call that succeeded, its words
/// separated by tabs. Files and folders are called by their inodes where they are open, otherwise by absolute paths:
///   create INODE PATH, mkdir INODE PATH, link FROM TO, rename FROM TO FLAGS, unlink PATH, rmdir PATH,
///   truncate INODE BYTES, sync INODE, map INODE (a shared map that can be written to),
///   write INODE OFFSET BYTES, whose line is followed by the bytes and a line feed.
///
/// While one lives, no other thread changes watched files, so that the lines are in the order of the calls.
class Journal {
 public:
  Journal();

  /// Returns false if nothing is recorded.
  [[nodiscard]] static bool IsKept();

  void Add(const std::string& line);
  void AddWrite(int fd, off_t offset, const void* bytes, size_t n);

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Returns the inode number of an open file, as text.
[[nodiscard]] std::string InodeOf(int fd);

}  // namespace ofindex::faults
