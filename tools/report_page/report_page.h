#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/dataset.h"
#include "tools/report_page/column_cards.h"
#include "tools/report_page/html.h"
#include "tools/report_page/page_facts.h"
#include "tools/report_page/pixel_shapes.h"

namespace ofindex {

/// The options of a page.
struct PageRequest {
  std::string title = {};  ///< empty: the name of the index
  uint64_t seed = 0;       ///< of the random records
  uint64_t records = 24;   ///< random records
  ColumnDetail detail = {};
  PixelShapes shapes = {};
  std::string options = {};  ///< of the command that makes the page again, each after a space
};

/// The contents of a page that was written.
struct PageSummary {
  uint64_t columns = 0;
  uint64_t records = 0;  ///< those with a card
  uint64_t unread = 0;   ///< of these, those that could not be read
  uint64_t pictures = 0;
  uint64_t picture_bytes = 0;
  uint64_t pictures_left_out = 0;
};

/// Writes a page about `dataset`: one HTML document without scripts that loads nothing. The same dataset and request
/// give the same bytes. Memory: that of the statistics of one column, and of one record of at most 16 MiB. Errors:
/// those of StatsOf, OpenSampler and of the sink of `html`; kInterrupted.
[[nodiscard]] Result<PageSummary> WriteReportPage(const Dataset& dataset, const PageFacts& facts,
                                                  const PageRequest& request, Progress& progress, Html& html);

}  // namespace ofindex
