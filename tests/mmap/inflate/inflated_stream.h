#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "mmap/inflate/inflated_bytes.h"
#include "tests/support/checkpointed.h"
#include "tests/support/compressed_bytes.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {

/// A compressed file with a checkpoint at every `every`th block, and its inflated bytes.
class InflatedStream {
 public:
  InflatedStream(const std::string& text, size_t every, Compression compression = Compression::kGzip) : text_(text) {
    WriteFile(dir_ / "stream", Compressed(compression, text, 9));
    InflatedFile all = InflateAll(dir_ / "stream", compression);
    CHECK(all.bytes == text);
    for (size_t i = 0; i < all.checkpoints.list.size(); i += every) {
      kept_.list.push_back(std::move(all.checkpoints.list[i]));
    }
    file_ = std::make_shared<const File>(std::move(*File::OpenRead(path())));
    facts_ = {.compression = compression, .file_bytes = file_->Facts()->size, .inflated_bytes = text.size()};
  }

  [[nodiscard]] InflatedBytes Through(SpanCache& cache, uint64_t state = 0) const {
    return {file_, facts_, kept_, cache, 0, state};
  }
  [[nodiscard]] InflatedBytes Through(SpanCache& cache, const Checkpoints& checkpoints) const {
    return {file_, facts_, checkpoints, cache, 0};
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string path() const { return dir_ / "stream"; }
  [[nodiscard]] CheckpointList& kept() { return kept_; }

 private:
  const TempDir dir_;
  const std::string text_;
  CheckpointList kept_;
  std::shared_ptr<const File> file_;
  CompressedFacts facts_;
};

inline std::string Numbers(size_t bytes) {
  std::mt19937_64 random(3);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random() % 100'000);
  return text;
}

/// Returns whether `n` bytes at `offset` equal those of `text`.
inline bool ReadsRight(const InflatedBytes& bytes, const std::string& text, uint64_t offset, size_t n) {
  std::vector<uint8_t> out(n);
  const auto got = bytes.ReadAt(offset, out);
  const std::string expected = offset < text.size() ? text.substr(offset, n) : "";
  return got && AsText(ByteView(out).first(*got)) == expected;
}

}  // namespace ofindex
