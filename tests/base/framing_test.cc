#include "base/framing.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/fixtures.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

constexpr std::array kFramings = {Framing::kTfRecord, Framing::kOfRecord};
constexpr uint64_t kLengths[] = {0, 1, 255, 65'536, uint64_t{1} << 31, uint64_t{1} << 63, ~uint64_t{0}};

TEST_CASE("a header equals that of an independent writer for the same length") {
  for (Framing framing : kFramings) {
    for (uint64_t length : kLengths) {
      std::array<uint8_t, kMaxHeaderBytes> header{};
      EncodeHeader(framing, length, header.data());
      CHECK(AsText(header).substr(0, HeaderBytes(framing)) == HeaderOf(framing, length));
    }
  }
}

TEST_CASE("writing an OFRecord header leaves the next four bytes alone") {
  std::array<uint8_t, kMaxHeaderBytes> header{};
  header.fill(0xee);
  EncodeHeader(Framing::kOfRecord, 1, header.data());
  CHECK(LoadLe32(header.data() + 8) == 0xeeeeeeee);
}

TEST_CASE("framing bytes are all bytes of a record except its payload") {
  for (Framing framing : kFramings) CHECK(FramingBytes(framing) == RecordBytes(framing, "").size());
}

TEST_CASE("every flipped bit of a TFRecord header breaks its checksum") {
  for (uint64_t length : kLengths) {
    const std::string header = HeaderOf(Framing::kTfRecord, length);
    CHECK(LengthCrcHolds(AsBytes(header).data()));
    for (uint64_t at = 0; at < header.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        const std::string flipped = WithFlippedBit(header, at, bit);
        CHECK_FALSE(LengthCrcHolds(AsBytes(flipped).data()));
      }
    }
  }
}

// Returns the payloads of a sound TFRecord file, using only its lengths.
std::vector<std::string> PayloadsOf(const std::string& bytes) {
  std::vector<std::string> payloads;
  for (uint64_t at = 0; at < bytes.size();) {
    const uint64_t length = LoadLe64(AsBytes(bytes).data() + at);
    payloads.push_back(bytes.substr(at + 12, length));
    at += 12 + length + 4;
  }
  return payloads;
}

TEST_CASE("shards made by the tests equal those of TensorFlow: real files are reproduced byte for byte") {
  const auto fixtures = FixturesOrMessage();
  if (!fixtures) return;
  for (const char* name : {"mnist.tfrecord", "tf_detection_train.tfrecord", "sequence_example.tfrecord"}) {
    CAPTURE(name);
    const std::string bytes = ReadFile(*fixtures + "/real/" + name);
    CHECK(ShardBytes(Framing::kTfRecord, PayloadsOf(bytes)) == bytes);
  }
}

TEST_CASE("zeros are not a TFRecord header") { CHECK_FALSE(LengthCrcHolds(AsBytes(std::string(12, '\0')).data())); }

TEST_CASE("names of framings and payload kinds are parsed as they are printed") {
  for (Framing framing : {Framing::kEmpty, Framing::kTfRecord, Framing::kOfRecord}) {
    CHECK(ParseFraming(Name(framing)) == framing);
  }
  for (PayloadKind kind :
       {PayloadKind::kOpaque, PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    CHECK(ParsePayloadKind(Name(kind)) == kind);
  }
  for (std::string_view other : {"", "TFRecord", "tfrecord ", "unknown"}) {
    CHECK_FALSE(ParseFraming(other));
    CHECK_FALSE(ParsePayloadKind(other));
  }
}

}  // namespace
}  // namespace ofindex
