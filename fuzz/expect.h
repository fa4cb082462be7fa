#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/result.h"
#include "base/text.h"

namespace ofindex {

/// Ends the process, with `parts` as its last words, unless `holds`. A property that does not hold is a finding:
/// libFuzzer keeps the input, and a test names the file that it was reading.
template <typename... Parts>
void Expect(bool holds, const Parts&... parts) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", StrCat(parts...).c_str());
  std::abort();
}

/// Ends the process unless both texts are the same.
inline void ExpectSame(const std::string& first, const std::string& second, const char* what) {
  Expect(first == second, what, " differ\nfirst:  ", first, "\nsecond: ", second);
}

/// Ends the process if an error says nothing. Otherwise returns whether there is a value.
template <typename T>
[[nodiscard]] bool IsThere(const Result<T>& result) {
  if (!result) Expect(!result.error().message.empty(), "an error without a message");
  return result.has_value();
}

}  // namespace ofindex
