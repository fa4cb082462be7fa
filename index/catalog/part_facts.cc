#include "index/catalog/part_facts.h"

#include <charconv>

#include "base/text.h"
#include "index/catalog/hex_digits.h"

namespace ofindex {
namespace {

constexpr std::string_view kNone = "-";

// The words of a text, between single spaces.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool done() const { return !rest_; }

  std::string_view Next() {
    if (!rest_) return {};
    const size_t end = rest_->find(' ');
    const std::string_view word = rest_->substr(0, end);
    rest_ = end == std::string_view::npos ? std::nullopt : std::optional(rest_->substr(end + 1));
    return word;
  }

  template <typename Number>
  bool Take(Number& number) {
    const std::string_view word = Next();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() && !word.empty();
  }

 private:
  std::optional<std::string_view> rest_;
};

bool TakePartial(Words& words, PartialShard& partial) {
  return words.Take(partial.shard) && words.Take(partial.begin) && words.Take(partial.end) &&
         words.Take(partial.first) && words.Take(partial.next) && words.Take(partial.tested) &&
         partial.begin < partial.end;
}

std::optional<std::string> BytesFromHex(std::string_view digits) {
  std::string bytes;
  for (; digits.size() >= 2; digits.remove_prefix(2)) {
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
    if (error != std::errc() || end != digits.data() + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  if (!digits.empty()) return std::nullopt;
  return bytes;
}

}  // namespace

std::string PartFacts::Text() const {
  // A name may be empty, so its digits follow a letter.
  std::string text =
      StrCat(first, " ", last, " ", of, " ", ToHex(job), " ", inflate.checkpoint_bytes, " ", inflate.max_ratio, " ",
             inflate.max_bytes, " ", dropped_from ? "x" + ToHex(AsBytes(*dropped_from)) : std::string(kNone));
  for (const PartialShard& each : partial) {
    text += StrCat(" ", each.shard, " ", each.begin, " ", each.end, " ", each.first, " ", each.next, " ", each.tested);
  }
  return text;
}

std::optional<PartFacts> PartFacts::Parse(std::string_view text) {
  PartFacts facts;
  Words words(text);
  if (!words.Take(facts.first) || !words.Take(facts.last) || !words.Take(facts.of)) return std::nullopt;
  if (facts.first < 1 || facts.last < facts.first || facts.of < facts.last || facts.of > kMaxParts) return std::nullopt;
  const std::optional<Digest128> job = DigestFromHex(words.Next());
  if (!job) return std::nullopt;
  facts.job = *job;
  InflateFacts& inflate = facts.inflate;
  if (!words.Take(inflate.checkpoint_bytes) || !words.Take(inflate.max_ratio) || !words.Take(inflate.max_bytes)) {
    return std::nullopt;
  }
  const std::string_view dropped = words.Next();
  if (dropped.starts_with('x')) facts.dropped_from = BytesFromHex(dropped.substr(1));
  if (dropped != kNone && !facts.dropped_from) return std::nullopt;
  while (!words.done()) {
    PartialShard& partial = facts.partial.emplace_back();
    if (facts.partial.size() > 2 || !TakePartial(words, partial)) return std::nullopt;
    if (facts.partial.size() == 2 && partial.shard <= facts.partial.front().shard) return std::nullopt;
  }
  if (facts.Text() != text) return std::nullopt;
  return facts;
}

std::string Describe(const PartFacts& part) {
  if (part.first == part.last) return StrCat("part ", part.first, " of ", part.of);
  return StrCat("parts ", part.first, " to ", part.last, " of ", part.of);
}

}  // namespace ofindex
