#include "index/record_writer.h"

#include <utility>

#include "base/text.h"
#include "index/record_framing.h"

namespace ofindex {

Result<RecordWriter> RecordWriter::Create(const std::string& path, Framing framing) {
  if (framing == Framing::kEmpty) return Fail(ErrorCode::kUsage, "a shard is written as tfrecord or ofrecord");
  OFINDEX_ASSIGN(Draft draft, Draft::Begin(path, Draft::IfLocked::kFail));
  OFINDEX_ASSIGN(OutputFile out, OutputFile::Create(draft.path()));
  return RecordWriter(std::move(draft), std::move(out), framing);
}

Result<void> RecordWriter::Write(ByteView payload) {
  if (payload.empty() && framing_ == Framing::kOfRecord) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(out_.path()), "@", size(), ": an OFRecord cannot be empty"),
                "its readers take the zero bytes for a torn tail; write a TFRecord, or leave the record out");
  }
  const RecordFraming framing(framing_, payload);
  OFINDEX_TRY(out_.Append(framing.header()));
  OFINDEX_TRY(out_.Append(payload));
  OFINDEX_TRY(out_.Append(framing.footer()));
  ++records_;
  return {};
}

Result<void> RecordWriter::Close() {
  OFINDEX_TRY(out_.Flush());
  return draft_.Publish(Draft::Durability::kDurable);
}

}  // namespace ofindex
