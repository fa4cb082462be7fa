#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/stats_words.h"
#include "tools/report_page/html.h"

namespace ofindex {

/// Draws the bins of a histogram as columns.
void DrawHistogram(const std::vector<BarRow>& bins, std::string_view column, Html& html);

/// Lists the bins as a table, which opens on request.
void ListBins(const std::vector<BarRow>& bins, Html& html);

/// Draws values and their counts as a table with a bar in each row. `all` is the number of all values.
void DrawFrequencies(const std::vector<BarRow>& values, std::string_view caption, uint64_t all, Html& html);

/// Draws numbers as a line, in the order in which they are. Those that are not finite are gaps that the line crosses.
void DrawLine(std::span<const double> values, std::string_view what, Html& html);

/// Returns the points of such a line in a box of `width` by `height`, at most two for each unit of the width: the least
/// and the greatest of the values there. Empty if no value is finite.
[[nodiscard]] std::string LinePoints(std::span<const double> values, unsigned width, unsigned height);

}  // namespace ofindex
