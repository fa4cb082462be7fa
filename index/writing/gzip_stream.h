#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/output_file.h"
#include "base/result.h"

namespace ofindex {

/// Compresses bytes into a file as one gzip member, as TensorFlow's writer does with compression GZIP. Moves, does not
/// copy; not thread-safe.
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  GzipStream(GzipStream&&) noexcept;
  GzipStream& operator=(GzipStream&&) noexcept;

  /// Compresses `bytes` and appends all or part of the output to `out`. Errors: kIo; kLimit if there is no memory for
  /// the compressor.
  [[nodiscard]] Result<void> Append(ByteView bytes, OutputFile& out);

  /// Flushes, so that a reader can see everything appended so far. Costs a few bytes each time. Errors: as Append.
  [[nodiscard]] Result<void> Flush(OutputFile& out);

  /// Appends the rest and the trailer. Nothing may be appended afterwards. Errors: as Append.
  [[nodiscard]] Result<void> Finish(OutputFile& out);

 private:
  struct State;

  [[nodiscard]] Result<void> Run(ByteView bytes, int flush, OutputFile& out);

  std::unique_ptr<State> state_;
};

}  // namespace ofindex
