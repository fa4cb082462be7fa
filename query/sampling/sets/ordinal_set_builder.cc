#include <algorithm>
#include <utility>

#include "query/sampling/sets/broadword.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {

void OrdinalSet::Builder::AddRange(uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  assert(end <= kEnd);
  const uint64_t first_whole = (begin + kPageOrdinals - 1) / kPageOrdinals * kPageOrdinals;
  const uint64_t last_whole = end / kPageOrdinals * kPageOrdinals;
  if (first_whole > last_whole) return AddInPage(begin, end);
  if (begin < first_whole) AddInPage(begin, first_whole);
  if (first_whole < last_whole) {
    Close();
    AppendRun(first_whole, last_whole);
  }
  if (last_whole < end) AddInPage(last_whole, end);
}

OrdinalSet OrdinalSet::Builder::Take() {
  Close();
  OrdinalSet set = std::exchange(set_, OrdinalSet());
  set.begins_.shrink_to_fit();
  set.ends_.shrink_to_fit();
  set.places_.shrink_to_fit();
  set.sparse_.shrink_to_fit();
  set.dense_.shrink_to_fit();
  set.counts_.shrink_to_fit();
  return set;
}

void OrdinalSet::Builder::AddInPage(uint64_t begin, uint64_t end) {
  while (begin < end) {
    const uint64_t n = std::min(end - begin, 64 - begin % 64);
    AddAligned(begin / 64, (~uint64_t{0} >> (64 - n)) << (begin % 64));
    begin += n;
  }
}

void OrdinalSet::Builder::Open(uint64_t word) {
  assert(page_ == kNoPage || word / kPageWords > page_);
  Close();
  assert(word < kEnd / 64);
  assert(set_.begins_.empty() || set_.EndOf(set_.begins_.size() - 1) <= word / kPageWords * kPageOrdinals);
  page_ = word / kPageWords;
  first_word_ = last_word_ = word % kPageWords;
}

// Adds the page to the set, in the form that its members require.
void OrdinalSet::Builder::Close() {
  if (page_ == kNoPage) return;
  uint64_t count = 0;
  for (uint64_t w = first_word_; w <= last_word_; ++w) count += CountBits(words_[w]);
  const uint64_t first = first_word_ * 64 + static_cast<unsigned>(std::countr_zero(words_[first_word_]));
  const uint64_t last = last_word_ * 64 + 63 - static_cast<unsigned>(std::countl_zero(words_[last_word_]));
  if (last - first + 1 == count) {
    AppendRun(page_ * kPageOrdinals + first, page_ * kPageOrdinals + last + 1);
  } else if (count < kDenseMembers) {
    AppendSparse(count);
  } else {
    AppendDense(count);
  }
  std::fill(&words_[first_word_], &words_[last_word_] + 1, uint64_t{0});
  page_ = kNoPage;
}

void OrdinalSet::Builder::AppendEntry(uint64_t begin, uint64_t place, uint64_t count) {
  const uint64_t end = set_.size() + count;
  set_.begins_.push_back(begin);
  set_.places_.push_back(place);
  set_.ends_.push_back(end);
}

void OrdinalSet::Builder::AppendRun(uint64_t begin, uint64_t end) {
  const size_t entries = set_.begins_.size();
  if (entries != 0 && set_.IsRun(entries - 1) && set_.EndOf(entries - 1) == begin) {
    set_.ends_.back() += end - begin;
  } else {
    AppendEntry(begin, kRun, end - begin);
  }
}

void OrdinalSet::Builder::AppendSparse(uint64_t count) {
  AppendEntry(page_ * kPageOrdinals, set_.sparse_.size(), count);
  for (uint64_t w = first_word_; w <= last_word_; ++w) {
    for (uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
      set_.sparse_.push_back(static_cast<uint16_t>(w * 64 + static_cast<unsigned>(std::countr_zero(bits))));
    }
  }
}

void OrdinalSet::Builder::AppendDense(uint64_t count) {
  AppendEntry(page_ * kPageOrdinals, set_.dense_.size() / kPageWords, count);
  set_.dense_.insert(set_.dense_.end(), words_.begin(), words_.end());
  uint32_t before = 0;
  for (uint64_t w = 0; w < kPageWords; ++w) {
    if (w % kBlockWords == 0) set_.counts_.push_back(static_cast<uint16_t>(before));
    before += CountBits(words_[w]);
  }
}

// Appends entry `e` of another set, which is a page, unchanged.
void OrdinalSet::Builder::CopyPage(const OrdinalSet& from, size_t e) {
  Close();
  if (from.IsDense(e)) {
    AppendEntry(from.begins_[e], set_.dense_.size() / kPageWords, from.Count(e));
    const auto words = from.DenseOf(e);
    set_.dense_.insert(set_.dense_.end(), words.begin(), words.end());
    set_.counts_.insert(set_.counts_.end(), from.CountsOf(e), from.CountsOf(e) + kPageBlocks);
  } else {
    AppendEntry(from.begins_[e], set_.sparse_.size(), from.Count(e));
    const auto members = from.SparseOf(e);
    set_.sparse_.insert(set_.sparse_.end(), members.begin(), members.end());
  }
}

// Adds the members that entry `i` of `a` and entry `j` of `b` have in common.
void OrdinalSet::Builder::AddOverlap(const OrdinalSet& a, size_t i, const OrdinalSet& b, size_t j) {
  const uint64_t begin = std::max(a.begins_[i], b.begins_[j]);
  const uint64_t end = std::min(a.EndOf(i), b.EndOf(j));
  if (begin >= end) return;
  if (a.IsRun(i) && b.IsRun(j)) return AddRange(begin, end);
  if (end - begin == kPageOrdinals) {
    if (a.IsRun(i)) return CopyPage(b, j);
    if (b.IsRun(j)) return CopyPage(a, i);
  }
  const uint64_t page_begin = begin / kPageOrdinals * kPageOrdinals;
  PageWords a_scratch;
  PageWords b_scratch;
  const auto a_words = a.WordsOf(i, page_begin, a_scratch);
  const auto b_words = b.WordsOf(j, page_begin, b_scratch);
  for (uint64_t w = 0; w < kPageWords; ++w) AddAligned(page_begin / 64 + w, a_words[w] & b_words[w]);
}

}  // namespace ofindex
