#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// The bytes that hold the records of a shard: those of its file or, if it is compressed, of the inflated stream.
/// Thread-safe, unless an implementation says otherwise.
class ReadableBytes {
 public:
  virtual ~ReadableBytes() = default;

  /// Reads up to out.size() bytes from `offset`. Returns the number read, which is smaller only at the end.
  /// Errors: kIo; kStale if the file no longer inflates to these bytes; kLimit, kInterrupted.
  [[nodiscard]] virtual Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const = 0;

  /// Returns the number of bytes. While the stream is still being inflated, returns the number known so far, which is
  /// at least `wanted` if the stream is that long. Errors: as ReadAt.
  [[nodiscard]] virtual Result<uint64_t> Size(uint64_t wanted) const = 0;

  /// Returns the path of the file.
  [[nodiscard]] virtual const std::string& path() const = 0;

  /// Hints to the kernel, as in File.
  virtual void WillNeed(uint64_t /*offset*/, uint64_t /*n*/) const {}
  virtual void Advise(File::Access /*access*/) const {}
};

/// The first bytes of a file. The file must outlive this object.
class FileBytes final : public ReadableBytes {
 public:
  FileBytes(const File& file, uint64_t size) : file_(file), size_(size) {}

  [[nodiscard]] Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override {
    return file_.ReadAt(offset, out);
  }
  [[nodiscard]] Result<uint64_t> Size(uint64_t /*wanted*/) const override { return size_; }
  [[nodiscard]] const std::string& path() const override { return file_.path(); }
  void WillNeed(uint64_t offset, uint64_t n) const override { file_.WillNeed(offset, n); }
  void Advise(File::Access access) const override { file_.Advise(access); }

 private:
  const File& file_;
  const uint64_t size_;
};

}  // namespace ofindex
