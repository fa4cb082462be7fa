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
/// that is killed or destroyed leaves no file that could pass for a whole shard. Moves, does not copy; not thread-safe.
/// Members of a moved-from or closed writer return kUsage, except Close, which a closed one may be asked again.
class OFINDEX_API RecordWriter {
 public:
  /// Begins the shard `path`. Errors: kUsage if a file of another kind is there, or such a shard and `force` is not
  /// set, or if the format cannot be compressed in this way; kIo; kLocked if another process writes it.
  [[nodiscard]] static Result<RecordWriter> Create(const std::string& path, const WriteOptions& options = {});

  /// Begins with the records of the shard `path`, if it exists; readers of the old file keep it.
  /// Errors: those of Create; kDamage if the file does not end with a whole record of `framing`.
  [[nodiscard]] static Result<RecordWriter> Append(const std::string& path, Framing framing = Framing::kTfRecord);

  RecordWriter(RecordWriter&& other) noexcept;
  RecordWriter& operator=(RecordWriter&& other) noexcept;
  ~RecordWriter();

  /// Appends one record of any size. Errors: kIo, including a full disk; the shard can then only be discarded, and
  /// Close fails with the same error. kUsage if the payload is empty and the framing OFRecord,
  /// whose readers take an empty record for a torn tail.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Passes all records so far to the system. Errors: kIo.
  [[nodiscard]] Result<void> Flush();

  /// Waits until all bytes are on disk, and gives the shard its name. Errors: kIo; an existing file is then unchanged.
  [[nodiscard]] Result<void> Close();

  [[nodiscard]] uint64_t records() const;  ///< including those that the shard had before
  [[nodiscard]] uint64_t bytes() const;    ///< of the framed records, before compression

 private:
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit RecordWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct ShardSetOptions {
  WriteOptions write = {};
  uint64_t shards = 1;
  std::optional<uint64_t> records = {};  ///< that will be written at most; must be given if there are several shards
};

/// Writes records, in order, into a set of shards that appears all at once: before Publish the folder is unchanged,
/// after it the set is the new one. A writer that is killed leaves a temporary folder that is never taken for shards;
/// one that is destroyed leaves nothing. Moves, does not copy; not thread-safe. Members of a moved-from or published
/// writer return kUsage.
class OFINDEX_API ShardSetWriter {
 public:
  /// Begins the set `path`: one file, if it ends in .tfrecord or .ofrecord (.tfrecord.gz too) and one shard is asked
  /// for; otherwise a folder of part-0, part-1 ... (OFRecord), or NAME-00000-of-00008.tfrecord (TFRecord).
  /// Errors: kUsage if it would replace files of another kind, or such a set and `force` is not set, or if there are
  /// several shards and `records` is not given; kIo; kLocked.
  [[nodiscard]] static Result<ShardSetWriter> Create(const std::string& path, const ShardSetOptions& options);

  ShardSetWriter(ShardSetWriter&& other) noexcept;
  ShardSetWriter& operator=(ShardSetWriter&& other) noexcept;
  ~ShardSetWriter();

  /// Appends a record. Errors: those of RecordWriter::Write; kUsage if the set has all the records that it was created
  /// for.
  [[nodiscard]] Result<void> Write(ByteView payload);

  /// Replaces the old files by the new ones, which are on disk before. Called again, it returns the first outcome.
  /// Errors: kIo; then the old set is whole, or the new one, or the folder is marked as unfinished, and refused by
  /// BuildIndex until it is written again; the error of an earlier Write, if that left the set incomplete.
  [[nodiscard]] Result<void> Publish();

  /// The shards, in order.
  [[nodiscard]] const std::vector<std::string>& paths() const;
  [[nodiscard]] uint64_t records() const;

 private:
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit ShardSetWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Builds one payload after another from features. The bytes are those of protobuf's deterministic serializer, so equal
/// features give equal bytes. Memory grows to the largest payload and is kept. Moves, does not copy; not thread-safe.
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

  /// Adds a feature (for a SequenceExample, a context feature). Copies name and values. Finish returns the errors.
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
  /// afterwards. Errors, the first since Clear: kFeature if the message's format cannot store values of that kind or
  /// feature lists, if an int32 is out of range, if a name is not UTF-8 (Examples need that), or if two features have
  /// the same name; kLimit if the payload is longer than protobuf allows, 2 GiB.
  [[nodiscard]] Result<ByteView> Finish();

 private:
  struct OFINDEX_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace ofindex::v1
