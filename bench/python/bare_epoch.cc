// A shuffled epoch, as fast as a program that knows the data can read it: bare_epoch THREADS {SHARD PLACES}...
//
// All shards are mapped, and an array holds the place of each record (written by records.cc, so finding the records
// costs nothing here). For each line on standard input, it draws a new order; then THREADS threads take batches of 256
// from it and extract the five features into arrays that they keep. Prints [records, seconds, [records, sum of labels,
// bytes of images]]; drawing the order is not included in the seconds. Nothing is checked.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBatch = 256;
constexpr size_t kAhead = 8;  // prefetch distance in records: 4, 8 and 16 are equally fast, 0 takes twice as long

struct Place {
  const uint8_t* data;
  uint64_t size;
};

struct Mapped {
  const uint8_t* data;
  uint64_t size;
};

Mapped Map(const char* path) {
  const int file = open(path, O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    std::perror(path);
    std::exit(1);
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) {
    std::perror(path);
    std::exit(1);
  }
  close(file);
  return {static_cast<const uint8_t*>(map), size};
}

void AddPlaces(const char* shard, const char* places, std::vector<Place>& out) {
  const Mapped data = Map(shard);
  const Mapped table = Map(places);
  for (uint64_t at = 0; at < table.size; at += 16) {
    uint64_t place[2];
    std::memcpy(place, table.data + at, sizeof place);
    out.push_back({data.data + place[0], place[1]});
  }
}

// The arrays of a batch; reused for the next one.
struct Arrays {
  std::array<int64_t, kBatch> label, height, width;
  std::array<float, kBatch> score;
  std::array<int64_t, kBatch + 1> offsets;
  std::vector<uint8_t> image;
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
  if (name == "score") std::memcpy(&out.score[row], at, sizeof(float));
  if (name == "image") {
    const auto begin = static_cast<size_t>(out.offsets[row]);
    if (out.image.size() < begin + values.size()) out.image.resize(2 * (begin + values.size()));
    std::memcpy(out.image.data() + begin, at, values.size());
    out.offsets[row + 1] = static_cast<int64_t>(begin + values.size());
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

void Prefetch(Place record) {
  for (uint64_t line = 0; line < record.size; line += 64) __builtin_prefetch(record.data + line);
}

struct Sums {
  std::atomic<uint64_t> records = 0, labels = 0, image_bytes = 0;
};

void ReadBatches(const std::vector<Place>& order, std::atomic<size_t>& next, Sums& sums) {
  Arrays arrays{};
  for (size_t begin; (begin = next.fetch_add(kBatch)) < order.size();) {
    const size_t rows = std::min(kBatch, order.size() - begin);
    for (size_t row = 0; row < rows; ++row) {
      if (begin + row + kAhead < order.size()) Prefetch(order[begin + row + kAhead]);
      Decode(order[begin + row], row, arrays);
    }
    sums.records += rows;
    for (size_t row = 0; row < rows; ++row) sums.labels += static_cast<uint64_t>(arrays.label[row]);
    sums.image_bytes += static_cast<uint64_t>(arrays.offsets[rows]);
  }
}

void AnswerOnce(const std::vector<Place>& order, size_t thread_count) {
  Sums sums;
  std::atomic<size_t> next = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < thread_count; ++i) {
    threads.emplace_back(ReadBatches, std::cref(order), std::ref(next), std::ref(sums));
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("[%zu, %.9f, [%llu, %llu, %llu]]\n", order.size(), took.count(),
              static_cast<unsigned long long>(sums.records), static_cast<unsigned long long>(sums.labels),
              static_cast<unsigned long long>(sums.image_bytes));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  if (count < 4 || count % 2 != 0) {
    std::fprintf(stderr, "usage: bare_epoch THREADS {SHARD PLACES}...\n");
    return 2;
  }
  std::vector<Place> order;
  for (int i = 2; i < count; i += 2) AddPlaces(words[i], words[i + 1], order);
  std::mt19937_64 random(0);
  std::puts("ready");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
    std::shuffle(order.begin(), order.end(), random);
    AnswerOnce(order, std::strtoull(words[1], nullptr, 10));
  }
  return 0;
}
