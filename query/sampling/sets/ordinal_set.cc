#include "query/sampling/sets/ordinal_set.h"

#include <algorithm>
#include <numeric>

#include "query/sampling/sets/broadword.h"

namespace ofindex {
namespace {

// Returns how many of `ascending` are at most `value`. Searches near `guess` first, then further away in doubling
// steps, and then between the last two positions. Members are usually spread evenly, so that a guess is off by at most
// a page.
size_t CountAtMost(std::span<const uint64_t> ascending, uint64_t value, size_t guess) {
  size_t begin = 0;  // the answer is in [begin, end]
  size_t end = ascending.size();
  guess = std::min(guess, end);
  for (size_t step = 1, at = guess; at < end; at += step, step *= 2) {
    if (ascending[at] > value) {
      end = at;
    } else {
      begin = at + 1;
    }
  }
  for (size_t step = 1, at = guess; at > begin; at -= std::min(at, step), step *= 2) {
    if (ascending[at - 1] > value) {
      end = at - 1;
    } else {
      begin = at;
    }
  }
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (ascending[middle] > value) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

// Returns the position among `n` that corresponds to `part` out of `whole`.
size_t Proportion(uint64_t part, uint64_t whole, size_t n) {
  return static_cast<size_t>(static_cast<double>(part) * (static_cast<double>(n) / static_cast<double>(whole)));
}

// Returns how many numbers at the front follow one another.
size_t ConsecutiveAtFront(std::span<const uint64_t> numbers) {
  const auto end =
      std::adjacent_find(numbers.begin(), numbers.end(), [](uint64_t a, uint64_t b) { return b != a + 1; });
  return end == numbers.end() ? numbers.size() : static_cast<size_t>(end - numbers.begin()) + 1;
}

template <typename T>
uint64_t BytesOf(const std::vector<T>& vector) {
  return vector.capacity() * sizeof(T);
}

}  // namespace

OrdinalSet OrdinalSet::Range(uint64_t begin, uint64_t end) {
  Builder builder;
  builder.AddRange(begin, end);
  return builder.Take();
}

// Returns the first entry that begins after `ordinal`, which can only be in the previous one.
size_t OrdinalSet::FirstEntryAfter(uint64_t ordinal) const {
  if (size() == 0 || ordinal < begins_.front()) return 0;
  const uint64_t span = EndOf(begins_.size() - 1) - begins_.front();
  const uint64_t offset = std::min(ordinal - begins_.front(), span);
  return CountAtMost(begins_, ordinal, Proportion(offset, span, begins_.size()) + 1);
}

// Returns the entry that has member number `k`.
size_t OrdinalSet::EntryOfMember(uint64_t k) const {
  assert(k < size());
  return CountAtMost(ends_, k, Proportion(k, size(), ends_.size()));
}

// Returns the block of dense page `e` that holds its member number `k`: the last block with at most k members before
// it. The search starts at the block that would hold the member if all were spread evenly.
size_t OrdinalSet::BlockOfMember(size_t e, uint64_t k) const {
  const uint16_t* counts = CountsOf(e);
  size_t block = k * kPageBlocks / Count(e);
  __builtin_prefetch(&DenseOf(e)[block * kBlockWords]);
  while (counts[block] > k) --block;
  while (block + 1 < kPageBlocks && counts[block + 1] <= k) ++block;
  return block;
}

uint64_t OrdinalSet::SelectInBlock(size_t e, size_t block, uint64_t k) const {
  auto left = static_cast<uint32_t>(k - CountsOf(e)[block]);
  const auto words = DenseOf(e);
  for (size_t w = block * kBlockWords;; ++w) {
    const uint32_t count = CountBits(words[w]);
    if (left < count) return begins_[e] + w * 64 + SelectBit(words[w], left);
    left -= count;
  }
}

uint64_t OrdinalSet::Select(uint64_t k) const {
  const size_t e = EntryOfMember(k);
  k -= Before(e);
  if (IsRun(e)) return begins_[e] + k;
  if (!IsDense(e)) return begins_[e] + SparseOf(e)[k];
  return SelectInBlock(e, BlockOfMember(e, k), k);
}

void OrdinalSet::SelectAll(std::span<uint64_t> numbers) const {
  constexpr size_t kGroup = 32;
  std::array<size_t, kGroup> entries;
  std::array<size_t, kGroup> blocks;
  while (!numbers.empty()) {
    if (const size_t run = ConsecutiveAtFront(numbers); run >= kGroup) {
      SelectConsecutive(numbers.first(run));
      numbers = numbers.subspan(run);
      continue;
    }
    const auto group = numbers.first(std::min(kGroup, numbers.size()));
    numbers = numbers.subspan(group.size());
    for (size_t i = 0; i < group.size(); ++i) {
      const size_t e = entries[i] = EntryOfMember(group[i]);
      group[i] -= Before(e);
      if (IsRun(e)) continue;
      if (!IsDense(e)) {
        __builtin_prefetch(&sparse_[places_[e] + group[i]]);
        continue;
      }
      for (size_t line = 0; line < kPageBlocks; line += 32) __builtin_prefetch(CountsOf(e) + line);
    }
    for (size_t i = 0; i < group.size(); ++i) {
      if (!IsDense(entries[i])) continue;
      blocks[i] = BlockOfMember(entries[i], group[i]);
      const uint64_t* block = &DenseOf(entries[i])[blocks[i] * kBlockWords];
      __builtin_prefetch(block);
      __builtin_prefetch(block + kBlockWords - 1);
    }
    for (size_t i = 0; i < group.size(); ++i) {
      const size_t e = entries[i];
      if (IsRun(e)) {
        group[i] += begins_[e];
      } else if (!IsDense(e)) {
        group[i] = begins_[e] + SparseOf(e)[group[i]];
      } else {
        group[i] = SelectInBlock(e, blocks[i], group[i]);
      }
    }
  }
}

void OrdinalSet::SelectConsecutive(std::span<uint64_t> numbers) const {
  size_t e = EntryOfMember(numbers.front());
  for (uint64_t k = numbers.front() - Before(e); !numbers.empty(); k = 0, ++e) {
    const auto n = static_cast<size_t>(std::min<uint64_t>(Count(e) - k, numbers.size()));
    CopyMembers(e, k, numbers.first(n));
    numbers = numbers.subspan(n);
  }
}

// Sets `members` to those of entry `e` from its member number `k` on.
void OrdinalSet::CopyMembers(size_t e, uint64_t k, std::span<uint64_t> members) const {
  const uint64_t begin = begins_[e];
  if (IsRun(e)) {
    std::iota(members.begin(), members.end(), begin + k);
  } else if (!IsDense(e)) {
    const auto from = SparseOf(e).subspan(k, members.size());
    std::transform(from.begin(), from.end(), members.begin(), [begin](uint16_t member) { return begin + member; });
  } else {
    const auto words = DenseOf(e);
    const uint64_t first = SelectInBlock(e, BlockOfMember(e, k), k) - begin;
    uint64_t w = first / 64;
    uint64_t bits = words[w] & (~uint64_t{0} << (first % 64));
    for (uint64_t& member : members) {
      while (bits == 0) bits = words[++w];
      member = begin + w * 64 + static_cast<unsigned>(std::countr_zero(bits));
      bits &= bits - 1;
    }
  }
}

// Returns the number of members of entry `e` before `offset`, which counts from the start of the entry.
uint64_t OrdinalSet::RankIn(size_t e, uint64_t offset) const {
  if (IsRun(e) || offset >= kPageOrdinals) return std::min(offset, Count(e));
  if (!IsDense(e)) {
    const auto sparse = SparseOf(e);
    return static_cast<uint64_t>(std::lower_bound(sparse.begin(), sparse.end(), offset) - sparse.begin());
  }
  const auto words = DenseOf(e);
  const size_t word = offset / 64;
  uint64_t counts = ByteCounts(words[word] & ((uint64_t{1} << (offset % 64)) - 1));
  // A byte gets at most 8 from each of the 8 words of a block; their total, at most 511, needs more than a byte.
  for (size_t w = word / kBlockWords * kBlockWords; w < word; ++w) counts += ByteCounts(words[w]);
  counts = (counts & 0x00ff00ff00ff00ffU) + ((counts >> 8) & 0x00ff00ff00ff00ffU);
  return CountsOf(e)[word / kBlockWords] + ((counts * 0x0001000100010001U) >> 48);
}

uint64_t OrdinalSet::Rank(uint64_t ordinal) const {
  const size_t behind = FirstEntryAfter(ordinal);
  if (behind == 0) return 0;
  const size_t e = behind - 1;
  return Before(e) + RankIn(e, ordinal - begins_[e]);
}

bool OrdinalSet::Contains(uint64_t ordinal) const {
  const size_t behind = FirstEntryAfter(ordinal);
  if (behind == 0 || ordinal >= EndOf(behind - 1)) return false;
  const size_t e = behind - 1;
  const uint64_t offset = ordinal - begins_[e];
  if (IsRun(e)) return true;
  if (IsDense(e)) return ((DenseOf(e)[offset / 64] >> (offset % 64)) & 1) != 0;
  const auto sparse = SparseOf(e);
  return std::binary_search(sparse.begin(), sparse.end(), offset);
}

OrdinalSet OrdinalSet::Slice(uint64_t begin, uint64_t end) const {
  assert(begin <= end && end <= size());
  return begin == end ? OrdinalSet() : Between(Select(begin), Select(end - 1) + 1);
}

OrdinalSet OrdinalSet::Between(uint64_t begin, uint64_t end) const {
  return Intersect(Range(begin, std::min(end, kEnd)));
}

OrdinalSet OrdinalSet::Intersect(const OrdinalSet& other) const {
  if (size() == 0 || other.size() == 0) return {};
  // Pages before the first one of the other set can be skipped.
  size_t i = std::max<size_t>(FirstEntryAfter(other.begins_.front()), 1) - 1;
  size_t j = std::max<size_t>(other.FirstEntryAfter(begins_.front()), 1) - 1;
  Builder builder;
  while (i < begins_.size() && j < other.begins_.size()) {
    builder.AddOverlap(*this, i, other, j);
    (EndOf(i) < other.EndOf(j) ? i : j) += 1;
  }
  return builder.Take();
}

// Returns the bitmap of entry `e` in the page that begins at `page_begin`, in `scratch` if it is not stored as one.
std::span<const uint64_t, OrdinalSet::kPageWords> OrdinalSet::WordsOf(size_t e, uint64_t page_begin,
                                                                      PageWords& scratch) const {
  if (IsDense(e)) return DenseOf(e);
  scratch.fill(0);
  if (!IsRun(e)) {
    for (const uint16_t member : SparseOf(e)) scratch[member / 64] |= uint64_t{1} << (member % 64);
    return scratch;
  }
  const uint64_t begin = std::max(begins_[e], page_begin) - page_begin;
  const uint64_t last = std::min(EndOf(e), page_begin + kPageOrdinals) - page_begin - 1;
  for (uint64_t w = begin / 64; w <= last / 64; ++w) scratch[w] = ~uint64_t{0};
  scratch[begin / 64] &= ~uint64_t{0} << (begin % 64);
  scratch[last / 64] &= ~uint64_t{0} >> (63 - last % 64);
  return scratch;
}

uint64_t OrdinalSet::memory() const {
  return sizeof *this + BytesOf(begins_) + BytesOf(ends_) + BytesOf(places_) + BytesOf(sparse_) + BytesOf(dense_) +
         BytesOf(counts_);
}

}  // namespace ofindex
