#include "tools/sampling/ordinal_text.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace ofindex {
namespace {

// Writes ordinals in one of the three forms.
class OrdinalWriter {
 public:
  OrdinalWriter(const Context& context, Output& out)
      : before_(context.jsonl ? "{\"_id\":" : ""),
        between_(context.json    ? ","
                 : context.jsonl ? "}\n"
                                 : "\n"),
        json_(context.json),
        out_(out) {}

  Result<void> Begin() { return json_ ? out_.Write("{\"schema\":\"ofindex.sample/1\",\"ids\":[") : Result<void>(); }

  Result<void> Write(std::span<const uint64_t> ordinals) {
    text_.clear();
    for (const uint64_t ordinal : ordinals) {
      if (json_ && std::exchange(some_, true)) text_ += between_;
      text_ += before_;
      AppendOrdinal(ordinal, text_);
      if (!json_) text_ += between_;
    }
    return out_.Write(text_);
  }

  Result<void> End() {
    if (json_) OFINDEX_TRY(out_.Line("]}"));
    return out_.Flush();
  }

 private:
  std::string_view before_;
  std::string_view between_;
  bool json_;
  Output& out_;
  bool some_ = false;
  std::string text_;
};

}  // namespace

Result<void> PrintOrdinals(Sampler& sampler, uint64_t most, const Context& context, Output& out) {
  OrdinalWriter writer(context, out);
  OFINDEX_TRY(writer.Begin());
  std::vector<uint64_t> ordinals(Sampler::kDrawnAtOnce);
  while (most > 0) {
    const size_t got = sampler.Next(std::span(ordinals).first(std::min<uint64_t>(most, ordinals.size())));
    if (got == 0) break;
    OFINDEX_TRY(writer.Write(std::span(ordinals).first(got)));
    if (context.progress.cancel) return Interrupted();
    most -= got;
  }
  return writer.End();
}

void AppendOrdinal(uint64_t ordinal, std::string& text) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, ordinal).ptr);
}

}  // namespace ofindex
