#include "mmap/sealed/sealed_writer.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace ofindex {
namespace {

void AppendLe64(std::vector<uint8_t>& out, uint64_t value) {
  out.resize(out.size() + 8);
  StoreLe64(out.data() + out.size() - 8, value);
}

}  // namespace

Result<SealedWriter> SealedWriter::Begin(OutputFile out) {
  SealedWriter writer(std::move(out));
  const std::array<uint8_t, kSealedHeaderBytes> no_header{};
  OFINDEX_TRY(writer.out_.Append(no_header));
  return writer;
}

Result<void> SealedWriter::BeginSection() {
  assert(header_.sections < kMaxSealedSections);
  const std::array<uint8_t, kSealedAlignment> zeros{};
  const uint64_t excess = out_.size() % kSealedAlignment;
  if (excess != 0) OFINDEX_TRY(AppendBody(ByteView(zeros).first(kSealedAlignment - excess)));
  header_.section[header_.sections++].at = out_.size();
  return {};
}

Result<void> SealedWriter::Append(ByteView bytes) {
  assert(header_.sections > 0);
  header_.section[header_.sections - 1].bytes += bytes.size();
  return AppendBody(bytes);
}

Result<void> SealedWriter::AppendBody(ByteView bytes) {
  OFINDEX_TRY(out_.Append(bytes));
  while (!bytes.empty()) {
    const uint64_t n = std::min<uint64_t>(kSealedBlockBytes - block_bytes_, bytes.size());
    block_hash_.Add(bytes.first(n));
    block_bytes_ += n;
    bytes = bytes.subspan(n);
    if (block_bytes_ == kSealedBlockBytes) EndBlock();
  }
  return {};
}

void SealedWriter::EndBlock() {
  AppendLe64(checks_, block_hash_.Digest64());
  block_hash_.Reset();
  block_bytes_ = 0;
}

Result<void> SealedWriter::Finish(const SealedKind& kind, const IndexOrigin& origin) {
  if (block_bytes_ != 0) EndBlock();
  header_.version = kind.version;
  header_.origin = origin;
  header_.body_bytes = out_.size() - kSealedHeaderBytes;
  OFINDEX_TRY(out_.Append(checks_));
  std::vector<uint8_t> roots;
  for (ByteView rest = checks_; !rest.empty();) {
    const ByteView block = rest.first(std::min<uint64_t>(kSealedBlockBytes, rest.size()));
    AppendLe64(roots, Xxh3(block));
    rest = rest.subspan(block.size());
  }
  OFINDEX_TRY(out_.Append(roots));
  header_.roots_hash = Xxh3(roots);
  header_.file_bytes = out_.size();
  std::array<uint8_t, kSealedHeaderBytes> bytes;
  header_.Encode(kind.magic, bytes.data());
  OFINDEX_TRY(out_.WriteAt(0, bytes));
  return out_.Flush();
}

}  // namespace ofindex
