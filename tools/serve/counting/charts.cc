#include "tools/serve/counting/charts.h"

#include <algorithm>

#include "tools/serve/counting/chart_choice.h"

namespace ofindex {

Result<std::shared_ptr<const Dimension>> Charts::Of(const Column& column, const Progress& progress) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    auto& place = entries_[column.number()];
    if (place == nullptr) place = std::make_shared<Entry>();
    entry = place;
    entry->used = ++uses_;
    if (entry->chart != nullptr) return entry->chart;
  }
  const std::lock_guard making(entry->making);
  {
    const std::lock_guard lock(mutex_);
    if (entry->chart != nullptr) return entry->chart;
  }
  OFINDEX_ASSIGN(std::shared_ptr<const Dimension> chart, Make(column, progress));
  while (!chart->fits() && DropOldest(entry)) {
    const Binning binning = chart->binning();
    chart = nullptr;  // returns its memory
    OFINDEX_ASSIGN(chart, Dimension::Of(store_, column, binning, memory_));
  }
  const std::lock_guard lock(mutex_);
  entry->chart = chart;
  return chart;
}

Result<std::shared_ptr<const Dimension>> Charts::Make(const Column& column, const Progress& progress) {
  OFINDEX_ASSIGN(Binning binning, BinningOf(*store_, column, progress));
  return Dimension::Of(store_, column, std::move(binning), memory_);
}

// Drops the chart that was asked for longest ago. Questions that still count it keep it, and its memory, until they
// end.
bool Charts::DropOldest(const std::shared_ptr<Entry>& but) {
  const std::lock_guard lock(mutex_);
  auto oldest = entries_.end();
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    const Entry& entry = *each->second;
    if (each->second == but || entry.chart == nullptr || entry.used + kUsedLately > uses_) continue;
    if (oldest == entries_.end() || entry.used < oldest->second->used) oldest = each;
  }
  if (oldest == entries_.end()) return false;
  entries_.erase(oldest);
  return true;
}

std::vector<std::shared_ptr<const Dimension>> Charts::Made(const Column& column) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(column.number());
  if (found == entries_.end() || found->second->chart == nullptr) return {};
  return {found->second->chart};
}

}  // namespace ofindex
