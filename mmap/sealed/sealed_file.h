#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file_watch.h"
#include "base/progress.h"
#include "base/result.h"
#include "mmap/files/fault_guard.h"
#include "mmap/files/mapped_file.h"
#include "mmap/sealed/sealed_format.h"

namespace ofindex {

/// A file derived from an index and kept next to it, mapped and shared by all processes of the host.
///
/// Immutable and thread-safe; usable after fork. Every byte is untrusted: bytes are compared with their checksum when
/// they are first used, so an answer comes from the bytes that were written, or is an error. If the file is truncated
/// or rewritten in place under a reader, answers are errors or the same as before. A file that replaces it by rename
/// does not affect readers that have the old one open.
class SealedFile {
 public:
  /// Opens a file of `kind` without reading a section. Messages use `shown`, or `path` if `shown` is empty.
  /// Errors: kNotFound if there is no such file; kIndex if it is not of `kind`, has another version, is truncated, or
  /// its header is damaged; kIo, kLimit.
  [[nodiscard]] static Result<SealedFile> Open(const std::string& path, SealedKind kind, const std::string& shown = {});

  [[nodiscard]] const std::string& path() const { return watch_.file().path(); }
  [[nodiscard]] const IndexOrigin& origin() const { return header_.origin; }
  [[nodiscard]] uint64_t size() const { return header_.file_bytes; }
  [[nodiscard]] uint32_t sections() const { return header_.sections; }
  [[nodiscard]] uint64_t section_bytes(uint32_t section) const { return header_.section[section].bytes; }

  /// Succeeds if the file was derived from the index `index`, which is shown as `shown`. Errors: kStale, naming what
  /// differs: the dataset, the generation, or only the build.
  [[nodiscard]] Result<void> CheckOrigin(const IndexOrigin& index, const std::string& shown) const;

  /// The mapped bytes of the file, in a guarded read.
  class Bytes {
   public:
    /// Returns bytes [offset, offset + n) of a section, checked. Returns null if they are damaged or lie outside the
    /// section. Valid during the read.
    [[nodiscard]] const uint8_t* At(uint32_t section, uint64_t offset, uint64_t n) const {
      const SealedSection& place = file_.header_.section[section];
      if (!Fits(offset, n, place.bytes)) return nullptr;
      const uint64_t begin = place.at - kSealedHeaderBytes + offset;
      const uint64_t last = (begin + (n == 0 ? 0 : n - 1)) / kSealedBlockBytes;
      for (uint64_t block = begin / kSealedBlockBytes; n != 0 && block <= last; ++block) {
        const bool known = file_.marks_[block].load(std::memory_order_acquire) == tag_;
        if (!known && !file_.CheckBlock(block, tag_)) return nullptr;
      }
      return file_.data_ + kSealedHeaderBytes + begin;
    }

    /// Asks for the cache line of a byte of a section; only a hint.
    void Prefetch(uint32_t section, uint64_t offset) const {
      const SealedSection& place = file_.header_.section[section];
      if (offset < place.bytes) __builtin_prefetch(file_.data_ + place.at + offset);
    }

   private:
    friend class SealedFile;
    Bytes(const SealedFile& file, uint32_t tag) : file_(file), tag_(tag) {}

    const SealedFile& file_;
    const uint32_t tag_;
  };

  /// Calls `body(const Bytes&)` in a guarded section, in which it must own no resources (see FaultGuard). `body`
  /// returns false if Bytes::At returned null, or if the bytes make no sense. It may be called again if the file was
  /// touched meanwhile; only the results of the last call count. One system call, and 45 ns.
  /// Errors: kIndex if `body` returned false; kStale if the file was truncated or rewritten since it was opened.
  template <typename Body>
  [[nodiscard]] Result<void> Read(const Body& body) const {
    const auto read = [&]() -> Result<void> {
      const Bytes bytes(*this, tag_->load(std::memory_order_acquire));
      volatile bool sound = false;
      if (!FaultGuard::Run([&] { sound = body(bytes); })) return Rewritten();
      return sound ? Result<void>() : Damaged();
    };
    return watch_.Consistent([this] { return CheckHeader(); }, read);
  }

  /// Copies out.size() bytes from `offset` of a section. Errors: those of Read.
  [[nodiscard]] Result<void> Copy(uint32_t section, uint64_t offset, std::span<uint8_t> out) const;

  /// Compares the whole file with its checksums. Errors: those of Read, naming the damaged byte; kInterrupted if
  /// `progress.cancel` was set.
  [[nodiscard]] Result<void> CheckAll(const Progress& progress = {}) const;

 private:
  SealedFile(File file, SealedKind kind)
      : watch_(std::move(file)), kind_(std::move(kind)), tag_(std::make_unique<std::atomic<uint32_t>>(1)) {}

  struct Free {
    void operator()(std::atomic<uint32_t>* marks) const { std::free(marks); }
  };
  using Marks = std::unique_ptr<std::atomic<uint32_t>[], Free>;
  [[nodiscard]] static Marks ZeroedMarks(uint64_t count);

  [[nodiscard]] Result<void> ReadRoots(const File& file);
  [[nodiscard]] Result<void> CheckHeader() const;
  [[nodiscard]] bool CheckBlock(uint64_t block, uint32_t tag) const;
  [[nodiscard]] bool CheckChecks(uint64_t block, uint32_t tag) const;
  [[nodiscard]] tl::unexpected<Error> Damaged() const;
  [[nodiscard]] tl::unexpected<Error> Rewritten() const;
  [[nodiscard]] tl::unexpected<Error> NotOfKind(const std::string& what) const;

  FileWatch watch_;
  SealedKind kind_;
  std::array<uint8_t, kSealedHeaderBytes> header_bytes_{};
  SealedHeader header_;
  std::vector<uint8_t> roots_;
  MappedFile file_;
  const uint8_t* data_ = nullptr;
  // For each block of the body, and then of the checks: the tag that was current when the block was last compared.
  // A change to the file's facts makes a new tag, so that all blocks are compared again.
  Marks marks_;
  std::unique_ptr<std::atomic<uint32_t>> tag_;  // heap-allocated, so its address survives a move
};

/// Returns true if `head`, the first bytes of a file, begins with the magic of `kind`.
[[nodiscard]] inline bool IsSealed(std::string_view head, std::string_view magic) {
  return head.size() >= kSealedHeaderBytes && head.starts_with(magic);
}

}  // namespace ofindex
