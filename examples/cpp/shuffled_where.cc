// Reads one shuffled epoch over the records for which an SQL expression holds, decoded in batches, as one rank of a
// training job does. Prints the state from which another run can resume.
//
//   shuffled_where DATA WHERE FEATURE [STATE]
//
// for example: shuffled_where digits 'label < 5' label

#include <array>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>

#include <ofindex/dataset.h>
#include <ofindex/decode.h>
#include <ofindex/query.h>
#include <ofindex/sample.h>

namespace {

int Fail(const ofindex::Error& error) {
  std::cerr << error.message << '\n';
  if (!error.hint.empty()) std::cerr << "hint: " << error.hint << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::cerr << "usage: shuffled_where DATA WHERE FEATURE [STATE]\n";
    return 2;
  }
  const auto dataset = ofindex::Dataset::Open(argv[1]);
  if (!dataset) return Fail(dataset.error());
  const auto selection = ofindex::Where(*dataset, argv[2]);
  if (!selection) return Fail(selection.error());

  ofindex::SampleOptions options{.selection = *selection, .seed = 1};
  if (argc == 5) options.state = argv[4];
  auto sampler = ofindex::Sampler::Open(*dataset, options);
  if (!sampler) return Fail(sampler.error());
  const auto decoder = ofindex::FeatureDecoder::Create({{.name = argv[3], .type = ofindex::DataType::kInt64}});
  if (!decoder) return Fail(decoder.error());

  std::array<uint64_t, 64> ordinals;
  while (const size_t count = sampler->Next(ordinals)) {
    const auto batch = decoder->Decode(*dataset, std::span(ordinals).first(count), /*threads=*/2);
    if (!batch) return Fail(batch.error());
    for (const int64_t value : batch->columns()[0].As<int64_t>()) std::cout << value << '\n';
    std::cerr << "state: " << sampler->State() << '\n';
  }
  return 0;
}
