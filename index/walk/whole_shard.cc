#include "index/walk/whole_shard.h"

#include <limits>
#include <vector>

#include "base/framing.h"
#include "base/text.h"
#include "index/walk/header_chain.h"

namespace ofindex {
namespace {

constexpr size_t kStartsAtOnce = size_t{1} << 16;

tl::unexpected<Error> NotWhole(const File& file, uint64_t position, Framing framing, std::string_view what) {
  return Fail(ErrorCode::kDamage,
              StrCat(Printable(file.path()), "@", position, ": ", what, "; expected whole records of format ",
                     Name(framing), " up to the end"),
              "run `ofindex build` to list the damage, or write to a new shard; nothing was written");
}

// Checks the payload of the last record, which begins at `start` and ends with the file: a killed writer may have left
// it half-written.
Result<void> CheckLastPayload(const File& file, uint64_t start, uint64_t size, Framing framing) {
  if (framing != Framing::kTfRecord) return {};
  std::vector<uint8_t> buffer(size_t{1} << 18);
  uint32_t crc = 0;
  const uint64_t end = size - FooterBytes(framing);
  for (uint64_t at = start + HeaderBytes(framing); at < end;) {
    const auto n = static_cast<size_t>(std::min<uint64_t>(buffer.size(), end - at));
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(at, std::span(buffer).first(n)));
    if (got != n) return NotWhole(file, at, framing, "the file shrinks while it is read");
    crc = Crc32c(ByteView(buffer).first(n), crc);
    at += n;
  }
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(end, std::span(buffer).first(sizeof crc)));
  if (got != sizeof crc) return NotWhole(file, end, framing, "the file shrinks while it is read");
  if (MaskCrc(crc) == LoadLe32(buffer.data())) return {};
  return NotWhole(file, start, framing, "the last record's payload does not match its checksum");
}

}  // namespace

Result<WholeShard> CheckWhole(const File& file, Framing framing) {
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  const FileBytes bytes(file, facts.size);
  HeaderChain chain(bytes, framing);
  WholeShard shard{.records = 0, .bytes = facts.size};
  std::vector<uint64_t> starts;
  uint64_t position = 0;
  uint64_t last = 0;
  for (auto halt = HeaderChain::Halt::kFull; halt == HeaderChain::Halt::kFull;) {
    starts.clear();
    OFINDEX_ASSIGN(halt, chain.Advance(position, starts, kStartsAtOnce, std::numeric_limits<uint64_t>::max()));
    shard.records += starts.size();
    if (!starts.empty()) last = starts.back();
    if (halt == HeaderChain::Halt::kHeader) return NotWhole(file, position, framing, "no record, or half of one");
    if (halt == HeaderChain::Halt::kEmptyRun)
      return NotWhole(file, position, framing, "an empty record, or zero bytes");
  }
  if (shard.records != 0) OFINDEX_TRY(CheckLastPayload(file, last, facts.size, framing));
  return shard;
}

}  // namespace ofindex
