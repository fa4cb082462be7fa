#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

// What ExplainWire() writes, read back: every line is an offset, bytes, and words that begin beside the bytes.

/// The bytes that a line shows. Words begin in column 41, beside a wide row in column 60: that has a gap before its
/// ninth byte, which a narrow one has not.
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

/// All bytes that `lines` show, what is folded unfolded. Empty if one does not stand at the offset that it names.
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
