#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ofindex {

// Verbs on whole files and on bytes in them. Bytes are strings, so + joins. A verb that fails ends the test.

/// Makes or replaces the content of `path`, in place: the same inode, if there was one.
void WriteFile(const std::string& path, std::string_view bytes);

[[nodiscard]] std::string ReadFile(const std::string& path);

void AppendTo(const std::string& path, std::string_view bytes);

/// Writes `bytes` over what lies at `offset`, or beyond the end, with a hole of zeros between.
void OverwriteAt(const std::string& path, uint64_t offset, std::string_view bytes);

/// Cuts the file to `size` bytes, or grows it by zeros.
void TruncateTo(const std::string& path, uint64_t size);

void FlipBit(const std::string& path, uint64_t offset, int bit);

/// `bytes` with bit `bit`, 0 to 7, of byte `offset` flipped.
[[nodiscard]] std::string WithFlippedBit(std::string bytes, uint64_t offset, int bit);

/// Puts a new file of `bytes` in the place of `path`, by rename: another inode.
void ReplaceFile(const std::string& path, std::string_view bytes);

/// Sets the time of last modification, in nanoseconds since 1970.
void SetMtime(const std::string& path, int64_t mtime_ns);

}  // namespace ofindex
