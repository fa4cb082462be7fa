#include "bench/pairs/memory_facts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace ofindex {
namespace {

// Sums "FIELD:   123 kB" over the lines of `path` for which `counts` returns true.
template <typename Counts>
Result<uint64_t> SumOf(const char* path, std::string_view field, Counts counts) {
  std::ifstream file(path);
  const std::string prefix = StrCat(field, ":");
  uint64_t kilobytes = 0;
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    if (!counts(line) || !line.starts_with(prefix)) continue;
    kilobytes += std::strtoull(line.c_str() + prefix.size(), nullptr, 10);
    found = true;
  }
  if (!found) return Fail(ErrorCode::kIo, StrCat(path, ": does not tell ", field));
  return kilobytes * 1024;
}

}  // namespace

Result<uint64_t> PrivateBytes() {
  return SumOf("/proc/self/smaps_rollup", "Private_Dirty", [](const std::string&) { return true; });
}

Result<uint64_t> PeakBytes() {
  return SumOf("/proc/self/status", "VmHWM", [](const std::string&) { return true; });
}

Result<uint64_t> ShareOfFile(const std::string& file) {
  std::error_code error;
  const std::string path = std::filesystem::canonical(file, error).string();
  // A mapping begins with a line "7f00-7f10 r--s 00000000 fe:00 123   PATH", followed by its fields.
  bool of_file = false;
  return SumOf("/proc/self/smaps", "Pss", [&](const std::string& line) {
    const size_t word = line.find(' ');
    if (word != std::string::npos && line.substr(0, word).find('-') != std::string::npos)
      of_file = line.ends_with(path);
    return of_file;
  });
}

}  // namespace ofindex
