#include "fuzz/framing/made_shard.h"

#include <limits>

#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

constexpr size_t kMaxMadeBytes = 8192;

enum class Piece : uint8_t { kRecord, kBadPayload, kBytes, kHeader, kZeros, kNested, kHugeHeader, kLast };

std::string NextPieceOf(Framing framing, FuzzInput& input) {
  const auto piece = static_cast<Piece>(input.Below(static_cast<size_t>(Piece::kLast)));
  const size_t length = input.Byte();
  switch (piece) {
    case Piece::kRecord: return RecordBytes(framing, AsText(input.Bytes(length)));
    case Piece::kBadPayload: {
      std::string record = RecordBytes(framing, AsText(input.Bytes(length)));
      record.back() = static_cast<char>(record.back() ^ 1);
      return record;
    }
    case Piece::kBytes: return std::string(AsText(input.Bytes(length)));
    case Piece::kHeader: return HeaderOf(framing, input.Number(2));
    case Piece::kZeros: return std::string(length, '\0');
    case Piece::kNested: return RecordBytes(framing, RecordBytes(framing, AsText(input.Bytes(length))));
    default: return HeaderOf(framing, std::numeric_limits<uint64_t>::max() >> length % 64);
  }
}

}  // namespace

std::string MadeShard(Framing framing, FuzzInput& input) {
  std::string shard;
  while (!input.empty() && shard.size() < kMaxMadeBytes) shard += NextPieceOf(framing, input);
  return shard;
}

std::string AnyShard(Framing framing, FuzzInput& input) {
  return input.Below(4) == 0 ? input.Text() : MadeShard(framing, input);
}

}  // namespace ofindex
