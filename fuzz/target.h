#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace ofindex {

/// A parser of untrusted bytes, and the function that tries one input on it.
struct FuzzTarget {
  std::string_view name;    ///< of its corpus in fuzz/corpus/, too
  void (*check)(ByteView);  ///< returns if all properties hold; otherwise ends the process (fuzz/expect.h)
  size_t max_bytes;         ///< longer inputs find nothing that shorter ones do not
  std::string_view reads;   ///< for people
  std::string_view parser;  ///< the sources whose coverage is reported, from the root, separated by blanks
};

/// Returns all targets. libFuzzer's program, the tests and tools/fuzz know no others.
[[nodiscard]] std::span<const FuzzTarget> FuzzTargets();

}  // namespace ofindex
