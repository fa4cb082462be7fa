#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/limits/commands.h"
#include "bench/limits/features.h"

namespace limits {
namespace {

constexpr uint64_t kTurns = 7;

// The types that a program would choose if it knew the values.
struct ScannedColumns {
  std::vector<uint16_t> label, height, width;
  std::vector<float> score;
};

ScannedColumns ColumnsOf(uint64_t records, bool sorted) {
  ScannedColumns columns;
  for (uint64_t i = 0; i < records; ++i) {
    const Numbers numbers = NumbersOf(i, records, sorted);
    columns.label.push_back(static_cast<uint16_t>(numbers.label));
    columns.height.push_back(static_cast<uint16_t>(numbers.height));
    columns.width.push_back(static_cast<uint16_t>(numbers.width));
    columns.score.push_back(numbers.score);
  }
  return columns;
}

// Finds the ordinals for which `holds` is true, in `ordinals`. Returns their number and sum.
template <typename Holds>
Answer Find(std::vector<uint64_t>& ordinals, const Holds& holds) {
  size_t found = 0;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < ordinals.size(); ++i) {
    ordinals[found] = i;
    const bool here = holds(i);
    found += here ? 1 : 0;
    sum += here ? i : 0;
  }
  return {found, sum};
}

// Returns the number of groups, that of records, and the sum of label * mean in millionths.
Answer Groups(const ScannedColumns& columns) {
  std::array<double, kLabels> sums{};
  std::array<uint64_t, kLabels> counts{};
  for (size_t i = 0; i < columns.label.size(); ++i) {
    sums[columns.label[i]] += static_cast<double>(columns.score[i]);
    ++counts[columns.label[i]];
  }
  uint64_t groups = 0;
  double weighted = 0;
  for (size_t label = 0; label < kLabels; ++label) {
    if (counts[label] == 0) continue;
    ++groups;
    weighted += static_cast<double>(label) * sums[label] / static_cast<double>(counts[label]);
  }
  return {groups, columns.label.size(), static_cast<uint64_t>(weighted * 1e6)};
}

// Returns the number of pairs of height / 100 and width / 100, that of records, and a sum of weighted pairs.
Answer Bins(const ScannedColumns& columns) {
  constexpr size_t kSide = 21;
  std::array<uint64_t, kSide * kSide> counts{};
  for (size_t i = 0; i < columns.height.size(); ++i) {
    ++counts[columns.height[i] / 100 * kSide + columns.width[i] / 100];
  }
  Answer answer = {0, columns.height.size(), 0};
  for (size_t i = 0; i < counts.size(); ++i) {
    answer[0] += counts[i] != 0 ? 1U : 0U;
    answer[2] += (100 * (i / kSide) + i % kSide) * counts[i];
  }
  return answer;
}

// Returns the ten greatest scores times 2^24, which are integers, descending.
Answer Top(const ScannedColumns& columns) {
  std::array<float, 10> top{};
  for (const float score : columns.score) {
    if (score <= top.back()) continue;
    top.back() = score;
    for (size_t i = top.size() - 1; i > 0 && top[i] > top[i - 1]; --i) std::swap(top[i], top[i - 1]);
  }
  Answer answer;
  for (const float score : top) answer.push_back(static_cast<uint64_t>(score * 0x1p24F));
  return answer;
}

Answer Sum(const ScannedColumns& columns) {
  uint64_t sum = 0;
  for (const uint16_t height : columns.height) sum += height;
  return {columns.height.size(), sum};
}

Answer AnswerTo(const ScannedColumns& columns, std::string_view question, std::vector<uint64_t>& ordinals) {
  if (question == "equal") return Find(ordinals, [&](size_t i) { return columns.label[i] == 17; });
  if (question == "groups") return Groups(columns);
  if (question == "bins") return Bins(columns);
  if (question == "top") return Top(columns);
  if (question == "sum") return Sum(columns);
  return Find(ordinals, [&](size_t i) {
    return columns.height[i] >= 500 && columns.height[i] <= 700 && columns.score[i] > 0.9F;
  });
}

}  // namespace

int Scan(Words words) {
  if (words.size() != 3) return 2;
  const uint64_t records = std::strtoull(words[0], nullptr, 10);
  const ScannedColumns columns = ColumnsOf(records, std::strcmp(words[2], "sorted") == 0);
  std::vector<uint64_t> ordinals(records);
  AnswerTo(columns, words[1], ordinals);  // not counted
  Answer answer;
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t turn = 0; turn < kTurns; ++turn) answer = AnswerTo(columns, words[1], ordinals);
  Print(kTurns, std::chrono::steady_clock::now() - begin, answer);
  return 0;
}

}  // namespace limits
