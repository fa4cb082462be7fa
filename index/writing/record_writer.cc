#include "index/writing/record_writer.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "index/walk/whole_shard.h"
#include "index/writing/record_framing.h"

namespace ofindex {
namespace {

Result<void> CheckForm(Framing framing, Compression compression) {
  if (framing == Framing::kEmpty) {
    return Fail(ErrorCode::kUsage, StrCat("format ", Name(framing), ": expected tfrecord or ofrecord"));
  }
  if (framing == Framing::kOfRecord && compression != Compression::kNone) {
    return Fail(ErrorCode::kUsage, "an OFRecord cannot be compressed: none of its readers supports it",
                "write a TFRecord, or leave it uncompressed");
  }
  if (compression != Compression::kNone && compression != Compression::kGzip) {
    return Fail(ErrorCode::kUsage, StrCat("compression ", Name(compression), ": expected gzip or none"));
  }
  return {};
}

}  // namespace

RecordWriter::RecordWriter(AtomicFile temporary, OutputFile out, Framing framing, Compression compression)
    : temporary_(std::move(temporary)), out_(std::move(out)), framing_(framing) {
  if (compression == Compression::kGzip) gzip_.emplace();
}

Result<RecordWriter> RecordWriter::Create(const std::string& path, Framing framing, Compression compression) {
  OFINDEX_TRY(CheckForm(framing, compression));
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(path, AtomicFile::IfLocked::kFail));
  OFINDEX_ASSIGN(OutputFile out, temporary.Open());
  return RecordWriter(std::move(temporary), std::move(out), framing, compression);
}

Result<RecordWriter> RecordWriter::Append(const std::string& name, Framing framing) {
  OFINDEX_ASSIGN(RecordWriter writer, Create(name, framing));
  struct stat old {};
  if (::stat(name.c_str(), &old) != 0 && errno == ENOENT) return writer;
  OFINDEX_ASSIGN(const File file, File::OpenRead(name));
  OFINDEX_ASSIGN(const WholeShard shard, CheckWhole(file, framing));
  OFINDEX_TRY(writer.out_.AppendFile(file, shard.bytes));
  writer.records_ = shard.records;
  writer.size_ = shard.bytes;
  return writer;
}

Result<void> RecordWriter::CheckIntact() const {
  if (failed_) return tl::unexpected(*failed_);
  if (!torn_) return {};
  return Fail(ErrorCode::kLimit, Printable(out_.path()) + ": memory ran out within a record", "write the shard again");
}

Result<void> RecordWriter::Write(ByteView payload) {
  OFINDEX_TRY(CheckIntact());
  if (payload.empty() && framing_ == Framing::kOfRecord) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(out_.path()), "@", size(), ": an OFRecord cannot be empty"),
                "its readers take the zero bytes for a torn tail; write a TFRecord, or leave the record out");
  }
  const RecordFraming framing(framing_, payload);
  torn_ = true;  // and stays so if an exception leaves this function
  OFINDEX_TRY(Put(framing.header()));
  OFINDEX_TRY(Put(payload));
  OFINDEX_TRY(Put(framing.footer()));
  torn_ = false;
  ++records_;
  return {};
}

Result<void> RecordWriter::Put(ByteView bytes) {
  size_ += bytes.size();
  return Noted(gzip_ ? gzip_->Append(bytes, out_) : out_.Append(bytes));
}

// After a failure, a record may be partly written: nothing may follow it, and the shard must not get its name.
Result<void> RecordWriter::Noted(Result<void> written) {
  if (!written) failed_ = written.error();
  return written;
}

Result<void> RecordWriter::Flush() {
  OFINDEX_TRY(CheckIntact());
  if (gzip_) OFINDEX_TRY(Noted(gzip_->Flush(out_)));
  return Noted(out_.Flush());
}

Result<void> RecordWriter::FinishBytes() {
  OFINDEX_TRY(CheckIntact());
  if (gzip_) OFINDEX_TRY(Noted(gzip_->Finish(out_)));
  return Noted(out_.Flush());
}

Result<void> RecordWriter::Close() {
  OFINDEX_TRY(FinishBytes());
  return temporary_.Publish(AtomicFile::Durability::kDurable);
}

Result<AtomicFile> RecordWriter::Finish() && {
  OFINDEX_TRY(FinishBytes());
  return std::move(temporary_);
}

}  // namespace ofindex
