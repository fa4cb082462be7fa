#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ofindex {

// Operations on whole files and on bytes in them. Bytes are strings, so + concatenates them. A failure ends the test.

/// Creates `path`, or replaces its content in place: an existing inode is kept.
void WriteFile(const std::string& path, std::string_view bytes);

[[nodiscard]] std::string ReadFile(const std::string& path);

void AppendTo(const std::string& path, std::string_view bytes);

/// Writes `bytes` at `offset`, over existing bytes or beyond the end. A gap before them is filled with zeros.
void OverwriteAt(const std::string& path, uint64_t offset, std::string_view bytes);

/// Truncates the file to `size` bytes, or extends it with zeros.
void TruncateTo(const std::string& path, uint64_t size);

void FlipBit(const std::string& path, uint64_t offset, int bit);

/// Returns `bytes` with bit `bit`, 0 to 7, of byte `offset` flipped.
[[nodiscard]] std::string WithFlippedBit(std::string bytes, uint64_t offset, int bit);

/// Replaces `path` with a new file of `bytes`, which has a different inode, by a rename.
void ReplaceFile(const std::string& path, std::string_view bytes);

/// Waits until the times of files tick: a change after it gives a file another time than a change before it.
void WaitForNextMtime();

/// Sets the modification time, in nanoseconds since 1970.
void SetMtime(const std::string& path, int64_t mtime_ns);

}  // namespace ofindex
