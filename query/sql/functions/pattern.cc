#include "query/sql/functions/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxPatternBytes = 10'000;
constexpr uint32_t kMaxStackKib = uint32_t{256} << 10;  // of places to go back to

// SearchSteps that a search may take: PCRE2 reports each item of the pattern that it tries.
constexpr uint64_t kStepsAlways = 1'000'000;
constexpr uint64_t kStepsPerByte = 1000;

// A step may read the whole text: so many bytes take about a millisecond.
constexpr uint64_t kBytesPerLook = uint64_t{1} << 22;
constexpr uint64_t kMaxStepsPerLook = 4096;

constexpr uint32_t kOptions =
    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_UCP | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C;

// Counts the steps of one search.
struct SearchSteps {
  const WorkLimits* limits;
  uint64_t left;
  uint64_t per_look;
  uint64_t until_look;
  bool stopped = false;

  // Called by PCRE2 before each step: the search ends if the result is not 0.
  static int Take(pcre2_callout_block*, void* data) {
    auto& steps = *static_cast<SearchSteps*>(data);
    if (steps.left == 0) return PCRE2_ERROR_MATCHLIMIT;
    --steps.left;
    if (--steps.until_look > 0) return 0;
    steps.until_look = steps.per_look;
    steps.stopped = !steps.limits->Check();
    return steps.stopped ? PCRE2_ERROR_CALLOUT : 0;
  }
};

void* Allocate(PCRE2_SIZE bytes, void*) { return sqlite3_malloc64(bytes); }
void Free(void* bytes, void*) { sqlite3_free(bytes); }

PCRE2_SPTR UnitsOf(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.empty() ? "" : text.data()); }

tl::unexpected<Error> NoPatternMemory() { return Fail(ErrorCode::kLimit, "out of memory for a regular expression"); }

tl::unexpected<Error> BadPattern(int code, size_t at) {
  if (code == PCRE2_ERROR_HEAP_FAILED) return NoPatternMemory();
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(code, text, sizeof text);
  return Fail(ErrorCode::kUsage, StrCat(reinterpret_cast<const char*>(text), ", at byte ", at, " of the pattern"));
}

}  // namespace

Result<std::unique_ptr<Pattern>> Pattern::Compile(std::string_view text) {
  std::unique_ptr<Pattern> pattern(new Pattern);
  pattern->memory_ = pcre2_general_context_create(Allocate, Free, nullptr);
  if (pattern->memory_ == nullptr) return NoPatternMemory();
  const std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> rules(
      pcre2_compile_context_create(pattern->memory_), pcre2_compile_context_free);
  if (rules == nullptr) return NoPatternMemory();
  pcre2_set_max_pattern_length(rules.get(), kMaxPatternBytes);
  pcre2_set_newline(rules.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  PCRE2_SIZE at = 0;
  pattern->code_ = pcre2_compile(UnitsOf(text), text.size(), kOptions, &code, &at, rules.get());
  if (pattern->code_ == nullptr) return BadPattern(code, at);
  pattern->match_ = pcre2_match_data_create(1, pattern->memory_);
  pattern->context_ = pcre2_match_context_create(pattern->memory_);
  if (pattern->match_ == nullptr || pattern->context_ == nullptr) return NoPatternMemory();
  pcre2_set_match_limit(pattern->context_, UINT32_MAX);  // SearchSteps has the limit
  pcre2_set_depth_limit(pattern->context_, UINT32_MAX);
  pcre2_set_heap_limit(pattern->context_, kMaxStackKib);
  return pattern;
}

Pattern::~Pattern() {
  pcre2_match_context_free(context_);
  pcre2_match_data_free(match_);
  pcre2_code_free(code_);
  pcre2_general_context_free(memory_);
}

Result<bool> Pattern::FoundIn(std::string_view text, const WorkLimits& limits) {
  const uint64_t per_look = std::clamp<uint64_t>(kBytesPerLook / (text.size() + 1), 1, kMaxStepsPerLook);
  SearchSteps steps{.limits = &limits,
                    .left = kStepsAlways + kStepsPerByte * text.size(),
                    .per_look = per_look,
                    .until_look = per_look};
  pcre2_set_callout(context_, SearchSteps::Take, &steps);
  const int result = pcre2_match(code_, UnitsOf(text), text.size(), 0, 0, match_, context_);
  if (result >= 0) return true;
  if (result == PCRE2_ERROR_NOMATCH) return false;
  if (steps.stopped) return Interrupted();
  switch (result) {
    case PCRE2_ERROR_NOMEMORY: return NoPatternMemory();
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_MATCHLIMIT:
      return Fail(ErrorCode::kUsage, StrCat("the pattern goes back too often in a text of ",
                                            Counted(text.size(), "byte"), "; expected one that takes linear time"));
    default: return BadPattern(result, 0);
  }
}

}  // namespace ofindex
