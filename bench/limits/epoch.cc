#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/limits/commands.h"
#include "bench/limits/shards.h"

namespace limits {
namespace {

constexpr size_t kBatch = 256;
constexpr size_t kAhead = 8;  // prefetch distance in records: 4, 8 and 16 are equally fast, 0 takes twice as long

// Bytes of a batch, one value after another; the buffer is reused for the next batch.
class Bytes {
 public:
  void Begin() { used_ = 0; }
  void Append(const void* data, size_t size) {
    if (bytes_.size() < used_ + size) bytes_.resize(2 * (used_ + size));
    std::memcpy(bytes_.data() + used_, data, size);
    used_ += size;
  }
  [[nodiscard]] uint64_t size() const { return used_; }

 private:
  std::vector<uint8_t> bytes_;
  size_t used_ = 0;
};

struct Arrays {
  std::array<int64_t, kBatch> label, height, width, id;
  std::array<float, kBatch> score;
  std::array<uint64_t, kBatch> image_end;
  Bytes images;
};

uint64_t ReadVarint(const uint8_t*& at) {
  uint64_t value = *at & 0x7f;
  for (int shift = 7; (*at++ & 0x80) != 0; shift += 7) value |= static_cast<uint64_t>(*at & 0x7f) << shift;
  return value;
}

// Returns the content of a length-delimited field with a one-byte tag, and moves `at` past it.
std::string_view ReadField(const uint8_t*& at) {
  ++at;
  const uint64_t size = ReadVarint(at);
  const std::string_view content(reinterpret_cast<const char*>(at), size);
  at += size;
  return content;
}

const uint8_t* Begin(std::string_view bytes) { return reinterpret_cast<const uint8_t*>(bytes.data()); }

void Store(std::string_view name, std::string_view feature, size_t row, Arrays& out) {
  const uint8_t* at = Begin(feature);
  const std::string_view list = ReadField(at);
  at = Begin(list);
  const std::string_view values = ReadField(at);
  at = Begin(values);
  if (name == "label") out.label[row] = static_cast<int64_t>(ReadVarint(at));
  if (name == "height") out.height[row] = static_cast<int64_t>(ReadVarint(at));
  if (name == "width") out.width[row] = static_cast<int64_t>(ReadVarint(at));
  if (name == "id") out.id[row] = static_cast<int64_t>(ReadVarint(at));
  if (name == "score") std::memcpy(&out.score[row], at, sizeof(float));
  if (name == "image") {
    out.images.Append(at, values.size());
    out.image_end[row] = out.images.size();
  }
}

void Decode(Place record, size_t row, Arrays& out) {
  const uint8_t* at = record.data;
  const std::string_view features = ReadField(at);
  const uint8_t* const end = Begin(features) + features.size();
  for (at = Begin(features); at < end;) {
    const std::string_view entry = ReadField(at);
    const uint8_t* in_entry = Begin(entry);
    const std::string_view name = ReadField(in_entry);
    Store(name, ReadField(in_entry), row, out);
  }
}

struct Sums {
  std::atomic<uint64_t> records = 0, labels = 0, bytes = 0;
};

void ReadBatches(const std::vector<Place>& order, bool decoded, std::atomic<size_t>& next, Sums& sums) {
  Arrays arrays{};
  for (size_t begin; (begin = next.fetch_add(kBatch)) < order.size();) {
    const size_t rows = std::min(kBatch, order.size() - begin);
    arrays.images.Begin();
    for (size_t row = 0; row < rows; ++row) {
      if (begin + row + kAhead < order.size()) Prefetch(order[begin + row + kAhead]);
      const Place record = order[begin + row];
      if (decoded) Decode(record, row, arrays);
      if (!decoded) arrays.images.Append(record.data, record.size);
    }
    sums.records += rows;
    for (size_t row = 0; decoded && row < rows; ++row) sums.labels += static_cast<uint64_t>(arrays.label[row]);
    sums.bytes += arrays.images.size();
  }
}

}  // namespace

int Epoch(Words words) {
  if (words.size() != 2) return 2;
  std::vector<Place> order = MapRecords(words[0]);
  const bool decoded = std::string_view(words[1]) == "decoded";
  std::mt19937_64 random(0);
  std::shuffle(order.begin(), order.end(), random);
  Sums sums;
  std::atomic<size_t> next = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    threads.emplace_back(ReadBatches, std::cref(order), decoded, std::ref(next), std::ref(sums));
  }
  for (std::thread& thread : threads) thread.join();
  Print(order.size(), std::chrono::steady_clock::now() - begin, {sums.records, sums.labels, sums.bytes});
  return 0;
}

}  // namespace limits
