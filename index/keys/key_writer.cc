#include "index/keys/key_writer.h"

#include <cassert>

namespace ofindex {
namespace {

constexpr size_t kKeyBufferBytes = size_t{1} << 16;

}  // namespace

Result<KeyWriter> KeyWriter::Begin(OutputFile out, KeyFacts facts) {
  OFINDEX_ASSIGN(SealedWriter sealed, SealedWriter::Begin(std::move(out)));
  OFINDEX_TRY(sealed.BeginSection());
  KeyWriter writer(std::move(sealed), std::move(facts));
  writer.begins_.reserve(writer.facts_.buckets() + 1);
  writer.buffer_.reserve(kKeyBufferBytes);
  return writer;
}

Result<void> KeyWriter::Add(const KeyEntry& entry) {
  assert(!last_ || *last_ <= entry);
  if (last_ == entry) return {};
  if (!last_ || last_->hash != entry.hash) ++facts_.keys;
  if (last_ && last_->hash != entry.hash && facts_.Bucket(last_->hash) == facts_.Bucket(entry.hash) &&
      facts_.Part(last_->hash) == facts_.Part(entry.hash)) {
    facts_.has_mixed = true;
  }
  last_ = entry;
  begins_.resize(facts_.Bucket(entry.hash) + 1, facts_.entries);  // of this bucket, and of empty ones before it
  ++facts_.entries;
  buffer_.resize(buffer_.size() + 8);
  const uint64_t packed = facts_.Part(entry.hash) << facts_.ordinal_bits | entry.ordinal;
  StoreLe64(buffer_.data() + buffer_.size() - 8, packed);
  return buffer_.size() < kKeyBufferBytes ? Result<void>() : Flush();
}

Result<void> KeyWriter::Flush() {
  OFINDEX_TRY(out_.Append(buffer_));
  buffer_.clear();
  return {};
}

Result<void> KeyWriter::Finish(const SealedKind& kind, const IndexOrigin& origin) {
  OFINDEX_TRY(Flush());
  begins_.resize(facts_.buckets() + 1, facts_.entries);
  OFINDEX_TRY(out_.BeginSection());
  for (const uint64_t begin : begins_) {
    buffer_.resize(buffer_.size() + 8);
    StoreLe64(buffer_.data() + buffer_.size() - 8, begin);
    if (buffer_.size() >= kKeyBufferBytes) OFINDEX_TRY(Flush());
  }
  OFINDEX_TRY(Flush());
  OFINDEX_TRY(out_.BeginSection());
  OFINDEX_TRY(out_.Append(facts_.Encode()));
  return out_.Finish(kind, origin);
}

}  // namespace ofindex
