#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/bytes.h>
#include <ofindex/features.h>
#include <ofindex/format.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

struct WriteOptions {
  Framing framing = Framing::kTfRecord;
  Compression compression = Compression::kNone;  ///< kNone or, for TFRecords, kGzip
  bool force = false;                            ///< replace an existing output of the same format
};

/// Writes payloads into one shard. The shard gets its name, or its new content, only when Close is called: a writer
/// that is killed or destroyed leaves no file that could be mistaken for a whole shard. Movable, not copyable; not
/// thread-safe. Members of a moved-from or closed writer return kUsage, except that Close on a closed writer returns
/// its first result.
class OFINDEX_API RecordWriter {
 public:
  /// Begins the shard `path`. Errors: kUsage if `path` is a file of another kind, or a shard of this format while
  /// `force` is false, or if the format cannot be compressed in this way; kIo; kLocked if another process writes the
  /// shard.
  [[nodiscard]] static Result<RecordWriter> Create(const std::string& path, const WriteOptions& options = {});

  /// Begins a new version of the shard `path` that starts with its current records, if there are any. Readers that have
  /// the old file open keep it.
  /// Errors: those of Create; kDamage if the file does not end with a whole record of `framing`.
  [[nodiscard]] static Result<RecordWriter> Append(const std::string& path, Framing framing = Framing::kTfRecord);

  RecordWriter(RecordWriter&& other) noexcept;
  RecordWriter& operator=(RecordWriter&& other) noexcept;
  ~RecordWriter();

  /// Appends one record of any size. Errors: kIo, including a full disk; the shard can then only be discarded, and
  /// Close fails with the same error. kUsage if the payload is empty and the framing is OFRecord, because readers of
  /// OFRecord take an empty record for a torn tail.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Passes all records so far to the system. Errors: kIo.
  [[nodiscard]] Result<void> Flush();

  /// Waits until all bytes are on disk, and gives the shard its name. Errors: kIo; an existing file is then unchanged.
  [[nodiscard]] Result<void> Close();

  [[nodiscard]] uint64_t records() const;  ///< including the records that the shard had before
  [[nodiscard]] uint64_t bytes() const;    ///< size of the framed records, before compression

 private:
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit RecordWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct ShardSetOptions {
  WriteOptions write = {};
  uint64_t shards = 1;
  std::optional<uint64_t> records = {};  ///< maximum number of records to write; required if there are several shards
};

/// Writes records, in order, into a set of shards that appears all at once: before Publish the folder is unchanged,
/// afterwards it holds the new set. A writer that is killed leaves a temporary folder, which is never taken for shards;
/// a writer that is destroyed leaves nothing. Movable, not copyable; not thread-safe. Members of a moved-from or
/// published writer return kUsage, except that Publish on a published writer returns its first result.
class OFINDEX_API ShardSetWriter {
 public:
  /// Begins the set `path`: one file if `path` ends in .tfrecord, .tfrecord.gz or .ofrecord and one shard is requested;
  /// otherwise a folder of part-0, part-1 ... (OFRecord), or NAME-00000-of-00008.tfrecord ... (TFRecord).
  /// Errors: kUsage if this would replace files of another kind, or a set of this format while `force` is false, or if
  /// there are several shards and `records` is not set; kIo; kLocked.
  [[nodiscard]] static Result<ShardSetWriter> Create(const std::string& path, const ShardSetOptions& options);

  ShardSetWriter(ShardSetWriter&& other) noexcept;
  ShardSetWriter& operator=(ShardSetWriter&& other) noexcept;
  ~ShardSetWriter();

  /// Appends a record. Errors: those of RecordWriter::Write; kUsage if the set has all the records that it was created
  /// for.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Waits until the new files are on disk, and replaces the old files with them. A second call returns the result of
  /// the first.
  /// Errors: kIo, after which the folder holds the whole old set, or the whole new set, or is marked as unfinished, so
  /// that BuildIndex refuses it until it is written again; the error of an earlier Write, if that left the set
  /// incomplete.
  [[nodiscard]] Result<void> Publish();

  /// The paths of the shards, in order.
  [[nodiscard]] const std::vector<std::string>& paths() const;
  [[nodiscard]] uint64_t records() const;

 private:
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit ShardSetWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Builds one payload after another from features. The bytes are those of protobuf's deterministic serializer, so equal
/// features give equal bytes. Memory grows to the largest payload and is kept. Movable, not copyable; not thread-safe.
/// A moved-from builder may only be assigned to or destroyed.
///
///     builder.Clear().AddInt64("label", 7).AddBytes("image", jpeg);
///     Result<ByteView> payload = builder.Finish();
class OFINDEX_API PayloadBuilder {
 public:
  /// `kind` is kExample, kSequenceExample or kOfRecord.
  explicit PayloadBuilder(PayloadKind kind);
  PayloadBuilder(PayloadBuilder&& other) noexcept;
  PayloadBuilder& operator=(PayloadBuilder&& other) noexcept;
  ~PayloadBuilder();

  /// Starts the next payload, and forgets errors. The first payload needs no Clear.
  PayloadBuilder& Clear();

  /// Adds a feature (for a SequenceExample, a context feature). Copies name and values. Errors are returned by Finish.
  PayloadBuilder& Add(std::string_view name, const FeatureValues& values);

  /// Add a feature of one value.
  PayloadBuilder& AddInt32(std::string_view name, int32_t value);
  PayloadBuilder& AddInt64(std::string_view name, int64_t value);
  PayloadBuilder& AddFloat(std::string_view name, float value);
  PayloadBuilder& AddDouble(std::string_view name, double value);
  PayloadBuilder& AddBytes(std::string_view name, std::string_view value);

  /// Adds a feature list with its steps. Only a SequenceExample has feature lists.
  PayloadBuilder& AddList(std::string_view name, std::span<const FeatureValues> steps);

  /// Returns the payload, which is valid until the next Clear or the end of the builder's life. Nothing may be added
  /// until then. Errors, of which the first since Clear is returned: kFeature if the message cannot store values of a
  /// kind, or feature lists, if an int32 is out of range, if a name is not UTF-8, which Examples require, or if two
  /// features have the same name; kLimit if the payload is longer than protobuf allows, 2 GiB.
  [[nodiscard]] Result<ByteView> Finish();

 private:
  struct OFINDEX_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace ofindex::v1
