#include <algorithm>
#include <string>
#include <vector>

#include "base/framing.h"
#include "fuzz/expect.h"
#include "fuzz/framing/framing_checks.h"
#include "fuzz/framing/made_shard.h"
#include "fuzz/memory_file.h"
#include "index/shards/detect.h"
#include "index/walk/whole_shard.h"
#include "proto/encode/payload_builder.h"
#include "proto/features.h"
#include "tests/index/reference_walk.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

std::string SpellDetection(const Detection& found) {
  return StrCat(static_cast<int>(found.verdict), " ", Name(found.framing), " ", Name(found.payload), " ",
                Name(found.compression), " ", found.mean_record_bytes, " ", found.what, " ",
                found.proven ? "proven" : "", " ", found.lost ? Name(*found.lost) : "");
}

FormatChoice TakeChoice(FuzzInput& input) {
  FormatChoice choice;
  const uint8_t given = input.Byte();
  if ((given & 1) != 0) choice.framing = (given & 2) != 0 ? Framing::kTfRecord : Framing::kOfRecord;
  if ((given & 4) != 0) choice.payload = static_cast<PayloadKind>(given >> 6);
  if ((given & 8) != 0) choice.compression = static_cast<Compression>(given >> 4 & 3);
  return choice;
}

// A payload that is strictly of a kind must decode as one.
void CheckStrictKind(ByteView payload) {
  const std::optional<PayloadKind> kind = StrictPayloadKind(payload);
  if (!kind || *kind == PayloadKind::kOpaque) return;
  DecodedRecord record;
  Expect(record.Decode(payload, *kind).has_value(), "strictly an ", Name(*kind), ", but it does not decode");
}

void CheckWholeness(const File& file, const std::string& shard, Framing framing) {
  const Walk walk = ReferenceWalk::Of(framing, shard);
  const Result<WholeShard> whole = CheckWhole(file, framing);
  if (IsThere(whole)) {
    Expect(walk.damage.empty() && whole->bytes == shard.size(), "a shard with damage passes for whole");
    Expect(whole->records == walk.records.size(), whole->records, " records, expected ", walk.records.size());
    return;
  }
  if (!walk.damage.empty()) return;
  // To append after an empty OFRecord is refused: it may be what a killed writer has left.
  const auto is_empty = [](const Walk::Extent& record) { return record.end - record.begin == kLengthBytes; };
  if (framing == Framing::kOfRecord && std::any_of(walk.records.begin(), walk.records.end(), is_empty)) return;
  Expect(framing == Framing::kTfRecord && !walk.records.empty(), "a whole shard is refused: ", whole.error().message);
  const auto [begin, end] = walk.records.back();
  const std::string_view payload = std::string_view(shard).substr(begin + 12, end - begin - 16);
  Expect(SlowMaskedCrc32c(payload) != LoadLe32(AsBytes(shard).data() + end - 4), "a whole shard is refused");
  for (const Walk::Extent& record : walk.records) {
    CheckStrictKind(AsBytes(shard).subspan(record.begin + 12, record.end - record.begin - 16));
  }
}

// A record that is larger than the front of a file that detection reads: an Example or an OFRecord, and bytes of the
// input.
std::string LargeRecord(Framing framing, FuzzInput& input) {
  const std::string value(kDetectedBytes + input.Number(1), 'x');
  const std::vector<ByteView> values = {AsBytes(value)};
  PayloadBuilder builder(static_cast<PayloadKind>(1 + input.Below(3)));
  Expect(builder.Add(AsBytes(std::string("x")), FeatureData::Bytes(values)).has_value(), "a large value is refused");
  const Result<ByteView> payload = builder.Finish();
  Expect(payload.has_value(), "a large payload is refused");
  return RecordBytes(framing, StrCat(AsText(*payload), AsText(input.Bytes(input.Below(8)))));
}

}  // namespace

// The second byte says which framing the shard has, and whether it begins with a large record.
void CheckDetection(ByteView bytes) {
  FuzzInput input(bytes);
  const FormatChoice choice = TakeChoice(input);
  const uint8_t shape = input.Byte();
  const Framing framing = shape % 2 == 0 ? Framing::kTfRecord : Framing::kOfRecord;
  const std::string front = shape < 128 ? "" : LargeRecord(framing, input);
  const std::string shard = front + AnyShard(framing, input);
  const MemoryFile memory(AsBytes(shard));
  const File file = memory.Open();
  CheckStrictKind(AsBytes(shard));
  CheckWholeness(file, shard, framing);
  const Result<Detection> found = DetectShard(file, shard.size(), choice);
  const Result<Detection> again = DetectShard(file, shard.size(), choice);
  Expect(found.has_value() == again.has_value(), "detection fails sometimes");
  if (!IsThere(found)) return;
  ExpectSame(SpellDetection(*found), SpellDetection(*again), "two detections");
  if (found->verdict != Detection::Verdict::kRecords) return;
  Expect(found->compression != Compression::kNone || found->mean_record_bytes <= shard.size(),
         "records larger than the file: ", found->mean_record_bytes);
  if (choice.framing && found->framing != Framing::kEmpty) {
    Expect(found->framing == *choice.framing, "another framing than the one that was given");
  }
}

}  // namespace ofindex
