#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "bench/limits/commands.h"
#include "bench/limits/decode.h"
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

void Store(std::string_view name, std::string_view value, size_t row, Arrays& out) {
  if (name == "label") out.label[row] = Int64In(value);
  if (name == "height") out.height[row] = Int64In(value);
  if (name == "width") out.width[row] = Int64In(value);
  if (name == "id") out.id[row] = Int64In(value);
  if (name == "score") out.score[row] = FloatIn(value);
  if (name == "image") {
    out.images.Append(value.data(), value.size());
    out.image_end[row] = out.images.size();
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
      if (decoded) Decode(record, [&](auto name, auto value) { Store(name, value, row, arrays); });
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
