#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/output_file.h"
#include "base/record.h"
#include "base/result.h"
#include "index/output/draft.h"
#include "index/writing/gzip_stream.h"

namespace ofindex {

/// Frames payloads as TFRecords or OFRecords, one after the other, into a shard. The shard gets its name, or its new
/// content, when Close is called, and not before: a writer that dies leaves nothing that could be taken for a whole
/// one. Moves, does not copy; not thread-safe.
class RecordWriter {
 public:
  /// Begins a shard that is to be called `path`; a file of that name is replaced at Close.
  /// Errors: kIo; kLocked  another process writes it; kUsage  an OFRecord is to be compressed, which none of its
  /// readers takes, or in another way than gzip.
  [[nodiscard]] static Result<RecordWriter> Create(const std::string& path, Framing framing,
                                                   Compression compression = Compression::kNone);

  /// Begins a shard with the records that `name` has, if there is such a file, or a link to one: its bytes are copied
  /// (shared, where the file system can), and whoever reads the old file keeps it. Every header is walked first, and
  /// the last record's payload checked, so that nothing is written behind a torn tail. The mode stays. Errors: as
  /// Create; kDamage  the file does not end with a whole record of `framing`.
  [[nodiscard]] static Result<RecordWriter> Append(const std::string& name, Framing framing);

  /// Appends one record of any size. Errors: kIo, a full disk among them, after which the shard can only be given up,
  /// and Close fails alike; kUsage  an empty payload in an OFRecord, which its readers cannot tell from a torn tail.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Hands all records so far to the system, so that memory holds none of them. Errors: kIo.
  [[nodiscard]] Result<void> Flush();

  /// Waits until all bytes are on the disk, and gives the shard its name. Nothing may be written afterwards. Errors:
  /// kIo; the file of that name is then as it was before.
  [[nodiscard]] Result<void> Close();

  /// Ends the shard as Close does, but leaves it without its name: the draft that Publish gives it with. For sets of
  /// shards that are to appear all at once. Errors: kIo.
  [[nodiscard]] Result<Draft> Finish() &&;

  /// Records in the shard so far, those it had before included.
  [[nodiscard]] uint64_t records() const { return records_; }

  /// Bytes of the framed records so far; of a compressed shard, before compression.
  [[nodiscard]] uint64_t size() const { return size_; }

 private:
  RecordWriter(Draft draft, OutputFile out, Framing framing, Compression compression);

  [[nodiscard]] Result<void> Put(ByteView bytes);
  [[nodiscard]] Result<void> Noted(Result<void> written);
  [[nodiscard]] Result<void> FinishBytes();

  Draft draft_;
  OutputFile out_;
  Framing framing_;
  std::optional<GzipStream> gzip_;
  uint64_t records_ = 0;
  uint64_t size_ = 0;
  std::optional<Error> failed_;  // the first error of writing
};

}  // namespace ofindex
