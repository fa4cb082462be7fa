#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

// Parses the output of ExplainWire(): every line is an offset, bytes, and words to the right of the bytes.

/// Returns the bytes on a line of a dump. The words after them begin in column 41 or, in a wide row, in column 60. Only
/// a wide row has a gap before its ninth byte.
inline std::string BytesOfLine(std::string_view line) {
  const bool wide = line.size() > 35 && line[34] == ' ' && line[35] != ' ';
  line = line.substr(0, wide ? 59 : 40);
  std::string bytes;
  for (size_t at = 10; at + 1 < line.size(); ++at) {
    if (line[at] == ' ') continue;
    bytes.push_back(static_cast<char>(std::strtol(std::string(line.substr(at++, 2)).c_str(), nullptr, 16)));
  }
  return bytes;
}

/// Returns all bytes in `lines`, with folded lines unfolded. Empty if a line is not at the offset that it states.
inline std::string BytesOfDump(const std::vector<std::string>& lines) {
  std::string bytes, row;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == "*") {
      if (row.empty() || i + 1 == lines.size()) return "";
      const auto end = std::strtoull(lines[i + 1].substr(0, 8).c_str(), nullptr, 16);
      while (bytes.size() < end) bytes += row;
      continue;
    }
    if (std::strtoull(lines[i].substr(0, 8).c_str(), nullptr, 16) != bytes.size()) return "";
    row = BytesOfLine(lines[i]);
    bytes += row;
  }
  return bytes;
}

}  // namespace ofindex
