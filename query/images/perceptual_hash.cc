#include "query/images/perceptual_hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "query/images/image_decoder.h"

namespace ofindex {
namespace {

constexpr size_t kThumbnailSide = 64;
constexpr size_t kBits = PerceptualHash::kBytes * 8;
constexpr size_t kMaxFrequency = 13;  // in one direction, among the kBits lowest

// Frequencies this faint, in levels of gray, come from the compression of an image as much as from what it shows.
constexpr float kPlainLevel = 1.0F;

using Thumbnail = std::array<uint8_t, kThumbnailSide * kThumbnailSide>;
using Spectrum = std::array<float, kBits>;
using Waves = std::array<std::array<float, kThumbnailSide>, kMaxFrequency + 1>;

struct Frequency {
  size_t down = 0, across = 0;  // half waves in the thumbnail

  [[nodiscard]] size_t Square() const { return down * down + across * across; }
};

// The lowest frequencies in any direction, ascending; not 0, which is the mean.
const std::array<Frequency, kBits>& LowestFrequencies() {
  static const std::array<Frequency, kBits> lowest = [] {
    std::vector<Frequency> all;
    for (size_t down = 0; down <= kMaxFrequency; ++down) {
      for (size_t across = 0; across <= kMaxFrequency; ++across) all.push_back({down, across});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Frequency& a, const Frequency& b) { return a.Square() < b.Square(); });
    std::array<Frequency, kBits> made;
    std::copy_n(all.begin() + 1, kBits, made.begin());
    return made;
  }();
  return lowest;
}

// The cosines of a discrete cosine transform (DCT-II), orthonormal.
const Waves& CosineWaves() {
  static const Waves waves = [] {
    Waves made;
    for (size_t f = 0; f <= kMaxFrequency; ++f) {
      const double scale = std::sqrt((f == 0 ? 1.0 : 2.0) / kThumbnailSide);
      for (size_t x = 0; x < kThumbnailSide; ++x) {
        const double angle = std::numbers::pi / (2 * kThumbnailSide) * static_cast<double>((2 * x + 1) * f);
        made[f][x] = static_cast<float>(scale * std::cos(angle));
      }
    }
    return made;
  }();
  return waves;
}

Spectrum SpectrumOf(const Thumbnail& thumbnail) {
  const Waves& waves = CosineWaves();
  Waves columns = {};  // of each frequency down, its strength in each column
  for (size_t f = 0; f <= kMaxFrequency; ++f) {
    for (size_t y = 0; y < kThumbnailSide; ++y) {
      const uint8_t* const row = &thumbnail[y * kThumbnailSide];
      for (size_t x = 0; x < kThumbnailSide; ++x) columns[f][x] += waves[f][y] * static_cast<float>(row[x]);
    }
  }
  Spectrum spectrum = {};
  for (size_t i = 0; i < kBits; ++i) {
    const Frequency& frequency = LowestFrequencies()[i];
    for (size_t x = 0; x < kThumbnailSide; ++x) {
      spectrum[i] += waves[frequency.across][x] * columns[frequency.down][x];
    }
  }
  return spectrum;
}

// Returns the median of some numbers: the greater of the two in the middle.
float MedianOf(Spectrum numbers) {
  const auto middle = numbers.begin() + numbers.size() / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

bool IsPlain(Spectrum spectrum) {
  for (float& strength : spectrum) strength = std::abs(strength);
  return MedianOf(spectrum) < kPlainLevel;
}

}  // namespace

Result<std::shared_ptr<const PerceptualHash>> PerceptualHash::Make() {
  OFINDEX_ASSIGN(std::shared_ptr<const BytesDecoder> thumbnails,
                 ImageDecoder::Of({.width = kThumbnailSide, .height = kThumbnailSide, .gray = true}));
  return std::shared_ptr<const PerceptualHash>(new PerceptualHash(std::move(thumbnails)));
}

Result<void> PerceptualHash::Decode(ByteView bytes, uint8_t* to) const {
  Thumbnail thumbnail;
  OFINDEX_TRY(thumbnails_->Decode(bytes, thumbnail.data()));
  const Spectrum spectrum = SpectrumOf(thumbnail);
  std::fill_n(to, kBytes, uint8_t{0});
  if (IsPlain(spectrum)) return {};
  const float median = MedianOf(spectrum);
  for (size_t i = 0; i < spectrum.size(); ++i) {
    if (spectrum[i] >= median) to[i / 8] = static_cast<uint8_t>(to[i / 8] | 1U << i % 8);
  }
  return {};
}

}  // namespace ofindex
