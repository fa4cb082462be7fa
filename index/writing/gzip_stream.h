#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/output_file.h"
#include "base/result.h"

namespace ofindex {

/// Deflates bytes into a file as one gzip member, as TensorFlow's writer does with compression GZIP. Moves, does not
/// copy; not thread-safe.
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  GzipStream(GzipStream&&) noexcept;
  GzipStream& operator=(GzipStream&&) noexcept;

  /// Appends what `bytes` deflate to, or a part of it, to `out`. Errors: kIo; kLimit  no memory for the compressor.
  [[nodiscard]] Result<void> Append(ByteView bytes, OutputFile& out);

  /// Lets a reader have all that was appended so far. Costs a few bytes each time. Errors: as Append.
  [[nodiscard]] Result<void> Flush(OutputFile& out);

  /// Appends the rest and the trailer. Nothing may be appended afterwards. Errors: as Append.
  [[nodiscard]] Result<void> Finish(OutputFile& out);

 private:
  struct State;

  [[nodiscard]] Result<void> Run(ByteView bytes, int flush, OutputFile& out);

  std::unique_ptr<State> state_;
};

}  // namespace ofindex
