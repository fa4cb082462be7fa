#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/query/sampling/orders/shuffle_tests.h"

namespace ofindex {

/// The file that tables are written to, or null.
inline const char* TableFile() { return std::getenv("OFINDEX_PVALUES"); }

/// p-values by statistic and size.
class PValueTable {
 public:
  void Add(uint64_t size, const std::vector<PValue>& values) {
    sizes_.push_back(size);
    for (const auto& [name, p] : values) {
      if (!rows_.contains(name)) names_.push_back(name);
      rows_[name][size] = p;
    }
  }

  /// Appends it to TableFile() as Markdown, if there is one.
  void Write(const std::string& title) const {
    if (TableFile() == nullptr) return;
    std::FILE* file = std::fopen(TableFile(), "a");
    REQUIRE(file != nullptr);
    std::fprintf(file, "%s\n\n| |", title.c_str());
    for (const uint64_t size : sizes_) std::fprintf(file, " %s |", Short(size).c_str());
    std::fprintf(file, "\n|---|");
    for (size_t i = 0; i < sizes_.size(); ++i) std::fprintf(file, "---|");
    for (const std::string& name : names_) {
      std::fprintf(file, "\n| %s |", name.c_str());
      for (const uint64_t size : sizes_) std::fprintf(file, " %s |", Cell(rows_.at(name), size).c_str());
    }
    std::fprintf(file, "\n\n");
    std::fclose(file);
  }

 private:
  static std::string Short(uint64_t size) {
    return size == uint64_t{1} << 48 ? "2^48" : size == 1'000'000 ? "10^6" : std::to_string(size);
  }

  static std::string Cell(const std::map<uint64_t, double>& row, uint64_t size) {
    const auto found = row.find(size);
    if (found == row.end()) return "";
    const double p = found->second;
    char text[32];
    std::snprintf(text, sizeof text, p == 0 ? "0" : p < 0.0005 ? "%.0e" : "%.3f", p);
    return text;
  }

  std::vector<uint64_t> sizes_;
  std::vector<std::string> names_;
  std::map<std::string, std::map<uint64_t, double>> rows_;
};

}  // namespace ofindex
