#include "query/filter/list_kernel.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "query/columns/chunks/bit_words.h"
#include "query/filter/number_range.h"
#include "query/filter/string_kernel.h"

namespace ofindex {
namespace {

// The wanted value in the forms in which lists store values: at most one integer, one real and one byte string.
class Wanted {
 public:
  Wanted(const std::vector<ColumnValue>& values, const Chunk::Strings& strings)
      : count_(static_cast<uint32_t>(strings.ends.size())), text_(count_) {
    for (const ColumnValue& value : values) text_ = std::min(text_, NumberOf(value, strings));
    if (const auto integers = IntegersOf(values); !integers.empty()) integer_ = integers[0];
    if (const auto reals = DoublesOf(values); !reals.empty()) real_ = reals[0];
  }

  // Returns true if one of the values [begin, end) of a list, all of one kind, is the wanted one.
  [[nodiscard]] bool In(const Chunk& chunk, FeatureKind kind, uint32_t begin, uint32_t end) const {
    const auto any = [begin, end](auto equal) {
      bool found = false;
      for (uint32_t i = begin; i < end; ++i) found |= equal(i);
      return found;
    };
    const uint64_t* const numbers = chunk.lists().numbers.data();
    switch (kind) {
      case FeatureKind::kNone: return false;
      case FeatureKind::kBytes: {
        const uint32_t* const strings = chunk.strings().number.data();
        return text_ < count_ && any([this, strings](uint32_t i) { return strings[i] == text_; });
      }
      case FeatureKind::kInt32:
      case FeatureKind::kInt64: {
        const auto integer = static_cast<uint64_t>(integer_.value_or(0));
        return integer_ && any([=](uint32_t i) { return numbers[i] == integer; });
      }
      case FeatureKind::kFloat: {
        const double real = real_.value_or(0);
        return real_ &&
               any([=](uint32_t i) { return double{std::bit_cast<float>(static_cast<uint32_t>(numbers[i]))} == real; });
      }
      case FeatureKind::kDouble: {
        const double real = real_.value_or(0);
        return real_ && any([=](uint32_t i) { return std::bit_cast<double>(numbers[i]) == real; });
      }
    }
    return false;
  }

 private:
  uint32_t count_;
  uint32_t text_;
  std::optional<int64_t> integer_;
  std::optional<double> real_;
};

}  // namespace

void MatchLists(const ValueFilter& filter, const Chunk& chunk, std::span<uint64_t> words) {
  const bool has = filter.kind == ValueFilter::Kind::kHas && !filter.values.empty();
  const Chunk::Lists& lists = chunk.lists();
  const Wanted wanted(has ? filter.values : std::vector<ColumnValue>(), chunk.strings());
  FillWords(chunk.records(), words, [&](uint32_t r) {
    if (!has || lists.kinds.empty()) return false;
    const FeatureKind kind = lists.kinds[lists.kinds.size() == 1 ? 0 : r];
    return wanted.In(chunk, kind, r == 0 ? 0 : lists.ends[r - 1], lists.ends[r]);
  });
}

}  // namespace ofindex
