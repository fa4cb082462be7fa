#pragma once

#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"
#include "mmap/files/kept_pages.h"
#include "mmap/files/mapped_file.h"

namespace ofindex {

/// Bytes of a file in a map of their own, which can be read without a guard: if the file is truncated meanwhile, the
/// lost pages read as zeros, and lost() tells. Not for system calls: a lost page that only the kernel touches gives
/// EFAULT. Other changes of the file show in the bytes. Movable, not copyable; safe to read from any thread.
class LentBytes {
 public:
  /// Maps `n` bytes of `file`, at least one, from `offset`, without reading any.
  /// Errors: kLimit if no map or address space is left, or too many bytes are lent at once; kIo.
  [[nodiscard]] static Result<LentBytes> Map(const File& file, uint64_t offset, uint64_t n);

  LentBytes(LentBytes&& other) noexcept : file_(std::move(other.file_)), kept_(std::exchange(other.kept_, nullptr)) {}
  LentBytes& operator=(LentBytes&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(kept_, other.kept_);
    return *this;
  }
  ~LentBytes() {
    if (kept_ != nullptr) kept_->Drop();
  }

  /// Valid while this object lives.
  [[nodiscard]] ByteView bytes() const { return file_.bytes(); }

  /// Returns whether bytes were read that the file had lost.
  [[nodiscard]] bool lost() const { return kept_->lost(); }

  /// Takes the pages out of this process's memory; they are mapped again when they are read.
  void Release() const { file_.Release(); }

 private:
  LentBytes(MappedFile file, KeptPages* kept) : file_(std::move(file)), kept_(kept) {}

  MappedFile file_;
  KeptPages* kept_;
};

}  // namespace ofindex
