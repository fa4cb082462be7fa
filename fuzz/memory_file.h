#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/output_file.h"
#include "base/result.h"

namespace ofindex {

/// A file without a name, in memory, that is opened by path: for parsers that read files. Ends the process if the
/// system refuses it.
class MemoryFile {
 public:
  explicit MemoryFile(ByteView bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] File Open() const;

  /// Writes `bytes` at `at`, or cuts the file off, as another process might while the file is read.
  void Overwrite(uint64_t at, ByteView bytes) const;
  void CutTo(uint64_t size) const;

 private:
  int fd_;
  std::string path_;
};

/// Writes a file, in place of one that is there. Ends the process if that fails.
void WriteFileAt(const std::string& path, ByteView bytes);

/// Makes a file the standard input of this process, from its beginning.
void BecomeStandardInput(const MemoryFile& file);

/// Returns the bytes that `write` writes to the file that it is given. Ends the process if `write` fails.
[[nodiscard]] std::vector<uint8_t> BytesWritten(const std::function<Result<void>(OutputFile)>& write);

}  // namespace ofindex
