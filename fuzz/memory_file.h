#pragma once

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

 private:
  int fd_;
  std::string path_;
};

/// Returns the bytes that `write` writes to the file that it is given. Ends the process if `write` fails.
[[nodiscard]] std::vector<uint8_t> BytesWritten(const std::function<Result<void>(OutputFile)>& write);

}  // namespace ofindex
