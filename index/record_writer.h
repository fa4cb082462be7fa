#pragma once

#include <string>

#include "base/output_file.h"
#include "base/record.h"
#include "base/result.h"
#include "index/draft.h"

namespace ofindex {

/// Frames payloads as TFRecords or OFRecords, one after the other, into a new shard. The shard gets its name when Close
/// is called, and not before: a writer that dies leaves nothing that could be taken for a whole one. Moves, does not
/// copy; not thread-safe.
class RecordWriter {
 public:
  /// Begins a shard that is to be called `path`; a file of that name is replaced at Close.
  /// Errors: kIo; kLocked  another process writes it.
  [[nodiscard]] static Result<RecordWriter> Create(const std::string& path, Framing framing);

  /// Appends one record of any size. Errors: kIo, a full disk among them; kUsage  an empty payload in an OFRecord,
  /// which its readers cannot tell from a torn tail.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Waits until all bytes are on the disk, and gives the shard its name. Nothing may be written afterwards. Errors:
  /// kIo.
  [[nodiscard]] Result<void> Close();

  [[nodiscard]] uint64_t records() const { return records_; }

  /// Bytes of the shard so far.
  [[nodiscard]] uint64_t size() const { return out_.size(); }

 private:
  RecordWriter(Draft draft, OutputFile out, Framing framing)
      : draft_(std::move(draft)), out_(std::move(out)), framing_(framing) {}

  Draft draft_;
  OutputFile out_;
  Framing framing_;
  uint64_t records_ = 0;
};

}  // namespace ofindex
