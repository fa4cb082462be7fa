#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// A file mapped read-only and shared, through Boost.Interprocess. Immutable, thread-safe; movable, not copyable.
///
/// The map refers to the inode, not to the name: it survives a rename or unlink of the file, and the descriptor may be
/// closed after mapping. Reading past a later truncation raises SIGBUS: read through FaultGuard.
class MappedFile {
 public:
  /// Maps `size` bytes of `file` from `offset`, without reading any. A size of 0 gives an empty view, not an error.
  /// Errors: kLimit if there is no address space left, or the process has too many maps (/proc/sys/vm/max_map_count);
  /// kIo if the file cannot be mapped.
  [[nodiscard]] static Result<MappedFile> Map(const File& file, uint64_t size, uint64_t offset = 0);

  MappedFile();
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) noexcept;
  ~MappedFile();

  /// Returns all mapped bytes. Valid while this object lives.
  [[nodiscard]] ByteView bytes() const { return bytes_; }

  /// Tells the kernel to expect random access: one page per fault, no read-ahead. Only a hint.
  void AdviseRandom() const;

  /// Asks the kernel to read `n` bytes from `offset` in the background. Only a hint; the range must be in bytes().
  void Prefetch(uint64_t offset, uint64_t n) const;

  /// Takes all pages out of this process's memory. They are mapped again when they are read.
  void Release() const;

 private:
  struct Region;
  std::unique_ptr<Region> region_;
  ByteView bytes_;
};

}  // namespace ofindex
