// Writes Examples into a set of TFRecord shards that appears all at once, or not at all.
//
//   write_records OUT RECORDS SHARDS

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include <ofindex/writer.h>

namespace {

int Fail(const ofindex::Error& error) {
  std::cerr << error.message << '\n';
  if (!error.hint.empty()) std::cerr << "hint: " << error.hint << '\n';
  return 1;
}

// Returns the payload of record `number`, which is valid until the builder is used again.
ofindex::Result<ofindex::ByteView> MakeRecord(uint64_t number, ofindex::PayloadBuilder& builder) {
  const auto x = static_cast<float>(number);
  const std::array<float, 2> values = {x, std::sqrt(x)};
  builder.Clear()
      .AddInt64("id", static_cast<int64_t>(number))
      .AddBytes("parity", number % 2 == 0 ? "even" : "odd")
      .Add("values", ofindex::FeatureValues::Floats(values));
  return builder.Finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: write_records OUT RECORDS SHARDS\n";
    return 2;
  }
  const uint64_t records = std::strtoull(argv[2], nullptr, 10);
  const uint64_t shards = std::strtoull(argv[3], nullptr, 10);
  auto writer = ofindex::ShardSetWriter::Create(argv[1], {.shards = shards, .records = records});
  if (!writer) return Fail(writer.error());

  ofindex::PayloadBuilder builder(ofindex::PayloadKind::kExample);
  for (uint64_t number = 0; number < records; ++number) {
    const auto payload = MakeRecord(number, builder);
    if (!payload) return Fail(payload.error());
    if (const auto written = writer->Write(*payload); !written) return Fail(written.error());
  }
  // Up to this point OUT is unchanged, even if the program is killed.
  if (const auto published = writer->Publish(); !published) return Fail(published.error());
  for (const std::string& path : writer->paths()) std::cout << path << '\n';
  return 0;
}
