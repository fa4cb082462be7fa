#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "mmap/files/readable_bytes.h"
#include "proto/extract/extractor.h"

namespace ofindex {

/// The payload of one record in a file, read page by page. Not thread-safe.
class FilePages final : public PayloadPages {
 public:
  /// Most features lie within a page or two; a plan that needs more requests more.
  static constexpr uint64_t kPageBytes = 4096;

  /// Reads the payload of `length` bytes at `begin` through `buffer`, which can be reused for successive records. All
  /// arguments must outlive this object.
  FilePages(const ReadableBytes& bytes, uint64_t begin, uint64_t length, std::vector<uint8_t>& buffer)
      : bytes_(bytes), begin_(begin), length_(length), buffer_(buffer) {}

  const uint8_t* At(uint64_t offset, uint64_t n, uint64_t& available) override;

  /// Returns why the payload could not be read; call only after a failure. Errors: kIo; kStale if the file ends inside
  /// the record.
  [[nodiscard]] Error TakeError();

 private:
  bool Fill(uint64_t offset, uint64_t n);

  const ReadableBytes& bytes_;
  const uint64_t begin_;
  const uint64_t length_;
  std::vector<uint8_t>& buffer_;
  uint64_t at_ = 0;
  uint64_t filled_ = 0;
  std::optional<Error> error_;
};

}  // namespace ofindex
