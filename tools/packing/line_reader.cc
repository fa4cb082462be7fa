#include "tools/packing/line_reader.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/output_file.h"
#include "base/progress.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kBehind = 64;

Result<void> CopyStandardInput(OutputFile& copy, const std::atomic<bool>& cancel) {
  std::vector<uint8_t> bytes(LineReader::kWindowBytes);
  for (;;) {
    if (cancel) return Interrupted();
    const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (n == 0) return copy.Flush();
    if (n > 0) {
      OFINDEX_TRY(copy.Append(ByteView(bytes).first(static_cast<size_t>(n))));
    } else if (errno != EINTR) {
      return tl::unexpected(SystemError(kStandardInputName, "cannot read", errno));
    }
  }
}

}  // namespace

Result<LineReader> LineReader::Open(const std::string& path) {
  OFINDEX_ASSIGN(File file, File::OpenRead(path));
  return Of(std::move(file));
}

Result<LineReader> LineReader::OpenStandardInput(const std::atomic<bool>& cancel) {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "ofindex-XXXXXX").string();
  const int fd = error ? -1 : ::mkstemp(path.data());
  if (fd < 0) return tl::unexpected(SystemError(path, "cannot create a temporary file", errno));
  OutputFile copy(fd, path);
  auto file = File::OpenRead(path, std::string(kStandardInputName));
  ::unlink(path.c_str());
  if (!file) return tl::unexpected(std::move(file).error());
  OFINDEX_TRY(CopyStandardInput(copy, cancel));
  return Of(std::move(*file));
}

Result<LineReader> LineReader::Of(File file) {
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  file.Advise(File::Access::kSequential);
  LineReader reader(std::move(file), facts);
  reader.window_.resize(kBehind);
  return reader;
}

Result<void> LineReader::CheckUnchanged() const {
  OFINDEX_ASSIGN(const FileFacts facts, file_.Facts());
  if (facts.size == opened_.size && facts.mtime_ns == opened_.mtime_ns) return {};
  return Fail(ErrorCode::kIo, StrCat(Printable(path()), ": changed while it was read"),
              "pack it when no other process writes to it");
}

void LineReader::SeekTo(uint64_t offset, size_t window) {
  read_bytes_ = window;
  window_begin_ = offset;
  window_size_ = 0;
  line_ = at_ = 0;
}

// Drops the bytes before `keep` and appends more from the file. Returns false at the end of the file.
Result<bool> LineReader::ReadMore(size_t keep) {
  const size_t kept = window_size_ - keep;
  std::memmove(window_.data(), window_.data() + keep, kept);
  window_begin_ += keep;
  line_ -= keep;
  at_ -= keep;
  window_size_ = kept;
  const size_t wanted = std::max(read_bytes_, kept);  // for a long line, the steps double
  if (kept + wanted > kMaxLineBytes) {
    return Fail(ErrorCode::kLimit,
                StrCat(Printable(path()), "@", window_begin_, ": a line of more than ",
                       FormatBytes(static_cast<double>(kMaxLineBytes))),
                "end each row with a newline; to store a whole file in a record, use --from files");
  }
  window_.resize(std::max(window_.size(), kept + wanted + kBehind));
  auto* bytes = reinterpret_cast<uint8_t*>(window_.data());
  OFINDEX_ASSIGN(const size_t got, file_.ReadAt(window_begin_ + kept, std::span(bytes + kept, wanted)));
  window_size_ += got;
  return got != 0;
}

// Returns the window position after the newline of the line that contains `from`; bytes before `keep` may be dropped.
Result<std::optional<size_t>> LineReader::FindEnd(size_t from, size_t keep) {
  for (;;) {
    const void* newline = from < window_size_ ? std::memchr(window_.data() + from, '\n', window_size_ - from) : nullptr;
    if (newline != nullptr) return static_cast<size_t>(static_cast<const char*>(newline) - window_.data()) + 1;
    const size_t seen = window_size_ - keep;
    OFINDEX_ASSIGN(const bool more, ReadMore(keep));
    if (!more) return window_size_ > at_ ? std::optional(window_size_) : std::nullopt;
    keep = 0;
    from = seen;
  }
}

Result<bool> LineReader::Next(std::string_view& line) {
  line_ = at_;
  OFINDEX_ASSIGN(const std::optional<size_t> end, FindEnd(at_, at_));
  if (!end) return false;
  at_ = *end;
  line = {window_.data() + line_, at_ - line_};
  return true;
}

Result<bool> LineReader::Extend(std::string_view& line) {
  OFINDEX_ASSIGN(const std::optional<size_t> end, FindEnd(at_, line_));
  if (!end) return false;
  at_ = *end;
  line = {window_.data() + line_, at_ - line_};
  return true;
}

}  // namespace ofindex
