#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "index/images/header_reader.h"

namespace ofindex {

/// Returns "jpeg 4x3x1", with - for what is not known.
inline std::string SpellHeader(const ImageHeader& header) {
  const auto number = [](std::optional<uint32_t> n) { return n ? StrCat(*n) : std::string("-"); };
  return StrCat(header.format.empty() ? "-" : header.format, " ", number(header.width), "x", number(header.height), "x",
                number(header.channels));
}

/// Returns true if what `part` knows, `whole` knows too.
inline bool Precedes(const ImageHeader& part, const ImageHeader& whole) {
  const auto holds = [](const auto& known, const auto& all) { return !known || known == all; };
  return (part.format.empty() || part.format == whole.format) && holds(part.width, whole.width) &&
         holds(part.height, whole.height) && holds(part.channels, whole.channels);
}

}  // namespace ofindex
