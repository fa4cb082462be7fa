#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "bench/limits/commands.h"
#include "bench/limits/decode.h"
#include "bench/limits/shards.h"

namespace limits {
namespace {

constexpr size_t kAtOnce = 8192;

struct ExtractedColumns {
  std::vector<int64_t> label, height, width;
  std::vector<float> score;
};

void Extract(const std::vector<Place>& records, std::atomic<size_t>& next, ExtractedColumns& out) {
  for (size_t begin; (begin = next.fetch_add(kAtOnce)) < records.size();) {
    for (size_t row = begin; row < std::min(begin + kAtOnce, records.size()); ++row) {
      Decode(records[row], [&](auto name, auto value) {
        if (name == "label") out.label[row] = Int64In(value);
        if (name == "height") out.height[row] = Int64In(value);
        if (name == "width") out.width[row] = Int64In(value);
        if (name == "score") out.score[row] = FloatIn(value);
      });
    }
  }
}

}  // namespace

int ExtractColumns(Words words) {
  if (words.size() != 1) return 2;
  const std::vector<Place> records = MapRecords(words[0]);
  const auto begin = std::chrono::steady_clock::now();
  const size_t n = records.size();
  ExtractedColumns columns{std::vector<int64_t>(n), std::vector<int64_t>(n), std::vector<int64_t>(n),
                           std::vector<float>(n)};
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    threads.emplace_back(Extract, std::cref(records), std::ref(next), std::ref(columns));
  }
  for (std::thread& thread : threads) thread.join();
  Print(n, std::chrono::steady_clock::now() - begin, {});
  return 0;
}

}  // namespace limits
