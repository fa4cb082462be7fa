#include "bench/limits/records.h"

#include "bench/limits/features.h"

namespace limits {
namespace {

// Fields of tensorflow.Feature (proto/example.proto).
constexpr uint32_t kBytesList = 1;
constexpr uint32_t kFloatList = 2;
constexpr uint32_t kInt64List = 3;

constexpr uint64_t kSoft = 0x0f0f0f0f0f0f0f0f;  // random bits of soft images

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Appends a length-delimited field whose content is `head` and then `tail`.
void AppendField(std::string& out, uint32_t number, std::string_view head, std::string_view tail = {}) {
  AppendVarint(out, number << 3 | 2);
  AppendVarint(out, head.size() + tail.size());
  out.append(head).append(tail);
}

// Appends random bytes, all of whose bits of `mask` are random.
void AppendNoise(std::string& out, uint64_t seed, size_t bytes, uint64_t mask) {
  const size_t end = out.size() + bytes;
  for (uint64_t i = seed << 20; out.size() < end; ++i) {
    const uint64_t eight = Noise(i) & mask;
    out.append(reinterpret_cast<const char*>(&eight), sizeof eight);
  }
  out.resize(end);
}

}  // namespace

std::string_view Composer::Compose(uint64_t record) {
  const Numbers numbers = NumbersOf(record, recipe_.records, recipe_.sorted);
  features_.clear();
  AddInt64("label", numbers.label);
  AddInt64("height", numbers.height);
  AddInt64("width", numbers.width);
  AddInt64("id", record);
  AddFloat("score", numbers.score);
  value_.clear();
  const uint64_t more = Noise(record * 8 + 4) % (recipe_.max_image - recipe_.min_image + 1);
  AppendNoise(value_, record, recipe_.min_image + more, recipe_.soft ? kSoft : ~uint64_t{0});
  Add("image", kBytesList, value_);
  payload_.clear();
  AppendField(payload_, 1, features_);
  return payload_;
}

void Composer::AddInt64(std::string_view name, uint64_t value) {
  value_.clear();
  AppendVarint(value_, value);
  Add(name, kInt64List, value_);
}

void Composer::AddFloat(std::string_view name, float value) {
  value_.assign(reinterpret_cast<const char*>(&value), sizeof value);
  Add(name, kFloatList, value_);
}

void Composer::Add(std::string_view name, uint32_t kind, std::string_view values) {
  list_.clear();
  AppendField(list_, 1, values);
  feature_.clear();
  AppendField(feature_, kind, list_);
  key_.clear();
  AppendField(key_, 1, name);
  entry_.clear();
  AppendField(entry_, 2, feature_);
  AppendField(features_, 1, key_, entry_);
}

}  // namespace limits
