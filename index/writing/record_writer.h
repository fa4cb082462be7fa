#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/output_file.h"
#include "base/record.h"
#include "base/result.h"
#include "index/output/atomic_file.h"
#include "index/writing/gzip_stream.h"

namespace ofindex {

/// Writes payloads, framed as TFRecords or OFRecords, into a shard. The shard gets its name, or its new content, only
/// when Close is called: a writer that is killed leaves nothing that could pass for a whole shard. Moves, does not
/// copy; not thread-safe.
class RecordWriter {
 public:
  /// Begins a shard to be named `path`; an existing file is replaced by Close.
  /// Errors: kIo; kLocked if another process writes the shard; kUsage for a compression other than gzip, or for any
  /// compression of OFRecords, which none of their readers supports.
  [[nodiscard]] static Result<RecordWriter> Create(const std::string& path, Framing framing,
                                                   Compression compression = Compression::kNone);

  /// Begins a shard with the records of the file `name`, or without records if there is no such file; a link is
  /// followed. The bytes of the file are copied (or shared, if the file system can), and readers of the old file keep
  /// it. First walks every header and checks the last record's payload, so that nothing is appended to a torn tail. The
  /// mode of the file is kept. Errors: as Create; kDamage if the file does not end with a whole record of `framing`.
  [[nodiscard]] static Result<RecordWriter> Append(const std::string& name, Framing framing);

  /// Appends one record of any size. Errors: kUsage for an empty payload in an OFRecord, which readers cannot tell from
  /// a torn tail; kIo, including a full disk: the shard can then only be discarded, and Close fails with the same
  /// error.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Passes all records so far to the system, so that none remain in memory. Errors: kIo.
  [[nodiscard]] Result<void> Flush();

  /// Waits until all bytes are on disk, and gives the shard its name. Nothing may be written afterwards. Errors: kIo;
  /// an existing file of that name is then unchanged.
  [[nodiscard]] Result<void> Close();

  /// Ends the shard like Close, but without giving it its name: call Publish on the returned AtomicFile. For sets of
  /// shards that must appear all at once. Errors: kIo.
  [[nodiscard]] Result<AtomicFile> Finish() &&;

  /// Returns the records in the shard so far, including those it had before.
  [[nodiscard]] uint64_t records() const { return records_; }

  /// Returns the bytes of the framed records so far; of a compressed shard, before compression.
  [[nodiscard]] uint64_t size() const { return size_; }

 private:
  RecordWriter(AtomicFile temporary, OutputFile out, Framing framing, Compression compression);

  [[nodiscard]] Result<void> Put(ByteView bytes);
  [[nodiscard]] Result<void> Noted(Result<void> written);
  [[nodiscard]] Result<void> FinishBytes();
  [[nodiscard]] Result<void> CheckIntact() const;

  AtomicFile temporary_;
  OutputFile out_;
  Framing framing_;
  std::optional<GzipStream> gzip_;
  uint64_t records_ = 0;
  uint64_t size_ = 0;
  bool torn_ = false;            // the last record is not written whole
  std::optional<Error> failed_;  // the first write error
};

}  // namespace ofindex
