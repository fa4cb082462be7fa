#include "tools/report_page/charts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kColumnWidth = 20;  // of a histogram, with the gap
constexpr uint64_t kColumnHeight = 400;
constexpr uint64_t kBarWidth = 1000;
constexpr unsigned kLineWidth = 240;
constexpr unsigned kLineHeight = 40;

uint64_t GreatestOf(const std::vector<BarRow>& rows) {
  uint64_t greatest = 0;
  for (const BarRow& row : rows) greatest = std::max(greatest, row.count);
  return greatest;
}

// Returns the part of `whole` that `count` of `all` are; at least a visible part unless there are none.
uint64_t PartOf(uint64_t whole, uint64_t count, uint64_t all) {
  if (count == 0 || all == 0) return 0;
  const double part = static_cast<double>(whole) * (static_cast<double>(count) / static_cast<double>(all));
  return std::clamp<uint64_t>(static_cast<uint64_t>(part), whole / 80, whole);
}

// Returns "12.3%".
std::string ShareText(uint64_t count, uint64_t all) {
  if (all == 0) return "";
  const uint64_t tenths =
      static_cast<uint64_t>(std::llround(1000.0 * static_cast<double>(count) / static_cast<double>(all)));
  return tenths == 0 && count != 0 ? "<0.1%" : StrCat(tenths / 10, ".", tenths % 10, "%");
}

}  // namespace

void DrawHistogram(const std::vector<BarRow>& bins, std::string_view column, Html& html) {
  if (bins.empty()) return;
  const uint64_t greatest = GreatestOf(bins);
  const std::string box = StrCat("0 0 ", bins.size() * kColumnWidth, " ", kColumnHeight);
  const std::string label = StrCat("Histogram of ", column, ": ", Counted(bins.size(), "bin"), ", at most ",
                                   FormatCount(greatest), " values in one");
  html.Open("svg", {{"class", "histogram"},
                    {"viewBox", box},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", label}});
  for (size_t i = 0; i < bins.size(); ++i) {
    const uint64_t height = PartOf(kColumnHeight, bins[i].count, greatest);
    html.Open("rect", {{"x", StrCat(i * kColumnWidth + 1)},
                       {"y", StrCat(kColumnHeight - height)},
                       {"width", StrCat(kColumnWidth - 2)},
                       {"height", StrCat(height)}});
    html.Element("title", StrCat(bins[i].label, ": ", FormatCount(bins[i].count))).Close();
  }
  html.Close();
}

void ListBins(const std::vector<BarRow>& bins, Html& html) {
  html.Open("details").Element("summary", StrCat(Counted(bins.size(), "bin"), " as numbers"));
  html.Open("table", {{"class", "bins"}}).Open("thead").Open("tr");
  html.Element("th", {{"scope", "col"}}, "from, to").Element("th", {{"scope", "col"}, {"class", "n"}}, "values");
  html.Close().Close().Open("tbody");
  for (const BarRow& bin : bins) {
    html.Open("tr").Element("th", {{"scope", "row"}}, bin.label);
    html.Element("td", {{"class", "n"}}, FormatCount(bin.count)).Close();
  }
  html.Close().Close().Close();
}

void DrawFrequencies(const std::vector<BarRow>& values, std::string_view caption, uint64_t all, Html& html) {
  const uint64_t greatest = GreatestOf(values);
  html.Open("table", {{"class", "top"}}).Element("caption", caption).Open("thead").Open("tr");
  html.Element("th", {{"scope", "col"}}, "value").Element("th", {{"scope", "col"}, {"class", "n"}}, "count");
  html.Element("th", {{"scope", "col"}, {"class", "n"}}, "share");
  html.Open("th", {{"scope", "col"}, {"class", "bar"}}).Element("span", {{"class", "hidden"}}, "bar").Close();
  html.Close().Close().Open("tbody");
  for (const BarRow& row : values) {
    html.Open("tr").Open("th", {{"scope", "row"}}).Element("bdi", row.label).Close();
    html.Element("td", {{"class", "n"}}, FormatCount(row.count));
    html.Element("td", {{"class", "n"}}, ShareText(row.count, all));
    html.Open("td", {{"class", "bar"}});
    html.Open("svg", {{"viewBox", "0 0 1000 8"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}});
    html.Open("rect", {{"width", StrCat(PartOf(kBarWidth, row.count, greatest))}, {"height", "8"}}).Close();
    html.Close().Close().Close();
  }
  html.Close().Close();
}

std::string LinePoints(std::span<const double> values, unsigned width, unsigned height) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  if (least > greatest) return "";
  // Halves, because the difference of two numbers may be infinite.
  const double range = greatest / 2 - least / 2;
  const auto y = [&](double value) {
    const double part = range > 0 ? (value / 2 - least / 2) / range : 0.5;
    return height - static_cast<unsigned>(std::lround(part * height));
  };
  std::string points;
  const size_t columns = std::min<size_t>(width, values.size());
  for (size_t column = 0; column < columns; ++column) {
    const size_t begin = column * values.size() / columns;
    const size_t end = (column + 1) * values.size() / columns;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : values.subspan(begin, end - begin)) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low > high) continue;
    const size_t x = columns == 1 ? 0 : column * width / (columns - 1);
    points += StrCat(points.empty() ? "" : " ", x, ",", y(low));
    if (high != low) points += StrCat(" ", x, ",", y(high));
  }
  return points;
}

void DrawLine(std::span<const double> values, std::string_view what, Html& html) {
  const std::string points = LinePoints(values, kLineWidth, kLineHeight);
  if (points.empty()) return;
  html.Open("svg", {{"class", "line"},
                    {"viewBox", StrCat("-2 -2 ", kLineWidth + 4, " ", kLineHeight + 4)},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", what}});
  html.Open("polyline", {{"points", points}, {"vector-effect", "non-scaling-stroke"}}).Close().Close();
}

}  // namespace ofindex
