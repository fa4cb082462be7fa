#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "query/tables/values/work_limits.h"

struct pcre2_real_code_8;
struct pcre2_real_general_context_8;
struct pcre2_real_match_context_8;
struct pcre2_real_match_data_8;

namespace ofindex {

/// A regular expression in the syntax of Perl, which is nearly that of Python's `re`: characters are those of UTF-8,
/// and \w, \d and \s are Unicode's. Bytes of a text that are not UTF-8 match nothing.
///
/// Patterns are untrusted. The engine (PCRE2) goes back and tries again, and a pattern such as (a+)+$ would take
/// exponential time; so a search ends with an error after a number of steps that is proportional to the size of the
/// text. All memory comes from SQLite, and counts to the limit of the session. RE2 needs no such bound, but a search of
/// RE2 cannot be stopped, its memory cannot be counted, and it is C++, which static libraries of another C++ standard
/// library cannot link.
///
/// Not thread-safe.
class Pattern {
 public:
  /// Compiles `text`. Errors: kUsage if it is malformed or too large; kLimit if SQLite has no memory.
  [[nodiscard]] static Result<std::unique_ptr<Pattern>> Compile(std::string_view text);

  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  /// Returns whether the pattern matches some part of `text`. Errors: kInterrupted if `limits` end the work; kUsage if
  /// it takes too many steps; kLimit if it takes too much memory.
  [[nodiscard]] Result<bool> FoundIn(std::string_view text, const WorkLimits& limits);

 private:
  Pattern() = default;

  pcre2_real_general_context_8* memory_ = nullptr;
  pcre2_real_code_8* code_ = nullptr;
  pcre2_real_match_data_8* match_ = nullptr;
  pcre2_real_match_context_8* context_ = nullptr;
};

}  // namespace ofindex
