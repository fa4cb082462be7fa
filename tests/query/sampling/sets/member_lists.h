#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {

/// Ordinals, ascending: the reference for a set.
using Members = std::vector<uint64_t>;

struct NamedMembers {
  std::string name;
  Members members;
};

/// Adds each ordinal of [begin, end) with probability `density`.
inline void AddRandom(Members& members, uint64_t begin, uint64_t end, double density, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution chosen(density);
  for (uint64_t ordinal = begin; ordinal < end; ++ordinal) {
    if (chosen(random)) members.push_back(ordinal);
  }
}

inline void AddAll(Members& members, uint64_t begin, uint64_t end) {
  for (uint64_t ordinal = begin; ordinal < end; ++ordinal) members.push_back(ordinal);
}

/// Adds every `step`-th ordinal of [begin, end).
inline void AddEvery(Members& members, uint64_t begin, uint64_t end, uint64_t step) {
  for (uint64_t ordinal = begin; ordinal < end; ordinal += step) members.push_back(ordinal);
}

inline Members All(uint64_t begin, uint64_t end) {
  Members members;
  AddAll(members, begin, end);
  return members;
}

inline Members Every(uint64_t begin, uint64_t end, uint64_t step) {
  Members members;
  AddEvery(members, begin, end, step);
  return members;
}

inline Members Random(uint64_t begin, uint64_t end, double density, uint64_t seed) {
  Members members;
  AddRandom(members, begin, end, density, seed);
  return members;
}

/// Returns members that give neighbouring pages of different forms.
inline Members Mixed() {
  constexpr uint64_t kPage = 65536;
  Members members;
  AddAll(members, 100, kPage);                             // a run up to the end of its page
  AddAll(members, kPage, 3 * kPage);                       // which goes on through full pages
  AddAll(members, 3 * kPage, 3 * kPage + 7);               // and ends in the next
  AddRandom(members, 4 * kPage, 5 * kPage, 0.5, 1);        // dense
  AddRandom(members, 5 * kPage, 6 * kPage, 0.001, 2);      // sparse
  AddRandom(members, 6 * kPage, 7 * kPage, 0.9999, 3);     // dense, and nearly full
  AddAll(members, 7 * kPage, 8 * kPage);                   // full
  AddAll(members, 8 * kPage + 5, 8 * kPage + 70);          // a run that does not continue the full page
  AddRandom(members, 1000 * kPage, 1001 * kPage, 0.3, 4);  // after empty pages
  AddRandom(members, OrdinalSet::kEnd - 500, OrdinalSet::kEnd, 0.5, 5);
  return members;
}

/// Sets of many densities and shapes.
inline std::vector<NamedMembers> Shapes() {
  constexpr uint64_t kPage = 65536;
  constexpr uint64_t kEnd = OrdinalSet::kEnd;
  Members two_runs = All(10, 20);
  AddAll(two_runs, 30, 40);
  Members all_but_one = All(0, kPage);
  all_but_one.erase(all_but_one.begin() + 777);
  return {
      {"nothing", {}},
      {"the first ordinal", {0}},
      {"the last ordinal", {kEnd - 1}},
      {"the first and the last ordinal", {0, kEnd - 1}},
      {"a run in a page", All(5, 105)},
      {"two runs in a page", two_runs},
      {"a run across a page border", All(kPage - 3, kPage + 3)},
      {"a full page", All(kPage, 2 * kPage)},
      {"full pages and ends", All(kPage - 1, 4 * kPage + 1)},
      {"a page but for one", all_but_one},
      {"the last page", All(kEnd - kPage, kEnd)},
      {"4,095 members", Every(0, 4095 * 16, 16)},
      {"4,096 members", Every(0, kPage, 16)},
      {"one in each page", Every(9, 40 * kPage, kPage)},
      {"two in each page, one of them at its end", Every(kPage - 1, 9 * kPage, kPage / 2)},
      {"one in 10,000", Random(0, 8 * kPage, 0.0001, 11)},
      {"one in 100", Random(1000, 4 * kPage, 0.01, 12)},
      {"one in 16, where arrays change to bitmaps", Random(0, 5 * kPage, 0.0625, 13)},
      {"one in 10", Random(12345, 4 * kPage + 99, 0.1, 14)},
      {"half", Random(1, 3 * kPage, 0.5, 15)},
      {"nearly all", Random(0, 3 * kPage, 0.9999, 16)},
      {"all forms", Mixed()},
  };
}

inline OrdinalSet SetOfMembers(const Members& members) {
  OrdinalSet::Builder builder;
  for (const uint64_t member : members) builder.Add(member);
  return builder.Take();
}

inline Members MembersOf(const OrdinalSet& set) {
  Members members;
  set.ForEach([&members](uint64_t ordinal) {
    members.push_back(ordinal);
    return true;
  });
  return members;
}

inline uint64_t RankOf(const Members& members, uint64_t ordinal) {
  return static_cast<uint64_t>(std::lower_bound(members.begin(), members.end(), ordinal) - members.begin());
}

inline bool IsMember(const Members& members, uint64_t ordinal) {
  return std::binary_search(members.begin(), members.end(), ordinal);
}

inline Members Between(const Members& members, uint64_t begin, uint64_t end) {
  return Members(std::lower_bound(members.begin(), members.end(), begin),
                 std::lower_bound(members.begin(), members.end(), std::max(begin, end)));
}

inline Members Common(const Members& a, const Members& b) {
  Members common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

/// Ordinals prone to errors: those near members and page borders, and some random ones.
inline Members Probes(const Members& members, uint64_t seed) {
  Members probes = {0, 1, 65535, 65536, 65537, OrdinalSet::kEnd - 1, OrdinalSet::kEnd, ~uint64_t{0}};
  std::mt19937_64 random(seed);
  const auto add_about = [&probes](uint64_t ordinal) {
    probes.insert(probes.end(), {ordinal, ordinal + 1});
    if (ordinal > 0) probes.push_back(ordinal - 1);
  };
  for (size_t i = 0; !members.empty() && i < 200; ++i) {
    const uint64_t member = members[random() % members.size()];
    add_about(member);
    add_about(member / 65536 * 65536);
    probes.push_back(member / 65536 * 65536 + random() % 65536);
  }
  if (!members.empty()) add_about(members.front());
  if (!members.empty()) add_about(members.back());
  return probes;
}

}  // namespace ofindex
