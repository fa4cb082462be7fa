#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "proto/extract/extractor.h"
#include "proto/features.h"

namespace ofindex {

/// All values of one feature in a record, as found by an oracle, before they are summarised like an extractor's.
struct WholeFeature {
  struct Step {
    FeatureKind kind = FeatureKind::kNone;
    std::vector<std::string> values = {};  ///< numbers as their bits in decimal, bytes unchanged
  };

  std::string name = {};         ///< as shown
  std::vector<Step> steps = {};  ///< exactly one unless it is a list
};

/// Returns a line of text for one feature: all kinds found, the kind of the values, their count, the value if there is
/// only one, the size of the largest if they are bytes, and all values if they are kept.
inline std::string SpellSummary(std::string_view name, uint32_t kinds, FeatureKind kind, uint64_t count,
                                const std::string& one, uint64_t largest, const std::vector<std::string>& all) {
  std::string text = std::to_string(name.size()) + ":" + std::string(name) + "=";
  for (uint32_t k = 0; k <= 5; ++k) {
    if ((kinds >> k & 1) != 0) text += std::string(Name(static_cast<FeatureKind>(k))) + " ";
  }
  text += "of " + std::string(Name(kind)) + " x" + std::to_string(count);
  if (count == 1) text += " (" + one + ")";
  if (kind == FeatureKind::kBytes) text += " max " + std::to_string(largest);
  for (const std::string& value : all) text += " [" + value + "]";
  return text + "\n";
}

/// Returns the text for a bytes value of `size` bytes: only the size if the value is too long to be kept.
inline std::string SpellText(std::string_view content, uint64_t size) {
  return std::to_string(size) + ":" + std::string(size > kMaxKeptBytes ? "" : content);
}

/// Returns what the header of Extractor promises for `feature`; `whole` if the extractor keeps the values.
inline std::string SpellExpected(const WholeFeature& feature, bool whole) {
  uint32_t kinds = 0;
  FeatureKind kind = FeatureKind::kNone;
  bool mixed = false;
  uint64_t largest = 0;
  std::vector<std::string> all;
  for (const WholeFeature::Step& step : feature.steps) {
    kinds |= 1U << static_cast<uint32_t>(step.kind);
    if (step.values.empty()) continue;
    mixed = mixed || (!all.empty() && kind != step.kind);
    kind = step.kind;
    for (const std::string& value : step.values) {
      largest = std::max<uint64_t>(largest, value.size());
      all.push_back(kind == FeatureKind::kBytes ? SpellText(value, value.size()) : value);
    }
  }
  const uint64_t count = all.size();
  const std::string one = count == 1 ? all[0] : "";
  if (mixed) kind = FeatureKind::kNone;
  if (!whole || mixed) all.clear();
  return SpellSummary(feature.name, kinds, kind, count, one, largest, all);
}

/// Returns the lines, sorted, as one text.
inline std::string Joined(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// Returns the features that `extractor` found, one per line, sorted.
inline std::string SpellFound(const Extractor& extractor, std::span<const std::string> whole) {
  std::vector<std::string> lines;
  for (const ExtractedFeature& found : extractor.found()) {
    const std::string& name = extractor.names()[found.feature];
    std::string one = std::to_string(found.bits);
    if (found.kind == FeatureKind::kBytes) one = SpellText(AsText(found.bytes), found.size);
    std::vector<std::string> all;
    if (found.kind != FeatureKind::kNone && std::find(whole.begin(), whole.end(), name) != whole.end()) {
      if (found.count == 1) all.push_back(one);
      for (uint64_t i = found.first; found.count != 1 && i < uint64_t{found.first} + found.count; ++i) {
        if (found.kind == FeatureKind::kBytes) {
          const ByteView text = extractor.strings()[i];
          all.push_back(text.data() == nullptr ? SpellText("", text.size()) : SpellText(AsText(text), text.size()));
        } else {
          all.push_back(std::to_string(extractor.numbers()[i]));
        }
      }
    }
    lines.push_back(SpellSummary(name, found.kinds, found.kind, found.count, one, found.largest, all));
  }
  return Joined(std::move(lines));
}

/// Returns a payload in pieces of the requested size and up to `spare` bytes more, and frees each piece when the next
/// is requested, so that AddressSanitizer catches reads that go too far or come too late.
class SmallPages final : public PayloadPages {
 public:
  SmallPages(std::string_view payload, uint64_t spare) : payload_(payload), spare_(spare) {}

  const uint8_t* At(uint64_t offset, uint64_t n, uint64_t& available) override {
    if (n == 0 || !Fits(offset, n, payload_.size()) || served_ == max_) return nullptr;
    ++served_;
    available = std::min<uint64_t>(payload_.size() - offset, n + spare_);
    bytes_ += available;
    piece_ = std::make_unique<uint8_t[]>(available);
    std::memcpy(piece_.get(), payload_.data() + offset, available);
    return piece_.get();
  }

  /// Fails after `most` pieces.
  void FailAfter(uint64_t most) { max_ = most; }

  [[nodiscard]] uint64_t served() const { return served_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  std::string_view payload_;
  uint64_t spare_;
  uint64_t served_ = 0;
  uint64_t max_ = ~uint64_t{0};
  uint64_t bytes_ = 0;
  std::unique_ptr<uint8_t[]> piece_;
};

/// Returns the outcome of the extraction as text: the features or the error.
inline std::string SpellOutcome(const Extractor& extractor, Extractor::Outcome outcome,
                                std::span<const std::string> whole) {
  switch (outcome) {
    case Extractor::Outcome::kUnreadable: return "unreadable";
    case Extractor::Outcome::kMalformed:
      return "malformed at " + std::to_string(extractor.malformed().offset) + ": " +
             std::string(Name(extractor.malformed().fault)) + (extractor.found().empty() ? "" : " BUT FOUND");
    case Extractor::Outcome::kWellFormed: return SpellFound(extractor, whole);
  }
  return "";
}

/// Returns all values of `value`, which belongs to `record`.
inline WholeFeature::Step StepOf(const DecodedRecord& record, FeatureValue value) {
  WholeFeature::Step step{.kind = value.kind};
  switch (value.kind) {
    case FeatureKind::kNone: break;
    case FeatureKind::kBytes:
      for (ByteView text : record.bytes(value)) step.values.emplace_back(AsText(text));
      break;
    case FeatureKind::kFloat:
      for (float v : record.floats(value)) step.values.push_back(std::to_string(std::bit_cast<uint32_t>(v)));
      break;
    case FeatureKind::kDouble:
      for (double v : record.doubles(value)) step.values.push_back(std::to_string(std::bit_cast<uint64_t>(v)));
      break;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64:
      for (int64_t v : record.integers(value)) step.values.push_back(std::to_string(static_cast<uint64_t>(v)));
      break;
  }
  return step;
}

/// Returns the expected features of `payload`, from DecodedRecord, which is itself compared with libprotobuf.
inline std::string SpellDecoded(std::string_view payload, PayloadKind kind, std::span<const std::string> whole) {
  DecodedRecord record;
  if (const Result<void> decoded = record.Decode(AsBytes(payload), kind); !decoded) {
    const std::string& text = decoded.error().message;  // payload@OFFSET: malformed message: FAULT
    const size_t colon = text.find(':');
    return "malformed at " + text.substr(8, colon - 8) + text.substr(text.find(':', colon + 1));
  }
  std::map<std::string, WholeFeature> features;  // a list hides a context feature of the same name
  for (const Feature& feature : record.features()) {
    const std::string name(AsText(feature.name));
    features[name] = {.name = name, .steps = {StepOf(record, feature.value)}};
  }
  for (const FeatureList& list : record.feature_lists()) {
    WholeFeature feature{.name = std::string(AsText(list.name)) + "[]"};
    for (FeatureValue step : record.steps(list)) feature.steps.push_back(StepOf(record, step));
    features[feature.name] = feature;
  }
  std::vector<std::string> lines;
  for (const auto& [name, feature] : features) {
    lines.push_back(SpellExpected(feature, std::find(whole.begin(), whole.end(), name) != whole.end()));
  }
  return Joined(std::move(lines));
}

}  // namespace ofindex
