#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "tools/http/exchange.h"
#include "tools/serve/exploration.h"
#include "tools/serve/served_dataset.h"

namespace ofindex {

/// Answers what the page of `ofindex serve` asks about some datasets, below /api/. Knows nothing of sockets.
/// Thread-safe; must outlive its routes.
class Explorer {
 public:
  /// Opens the datasets `names`, which are indexes or data. Errors: those of ServedDataset::Open; kLimit.
  [[nodiscard]] static Result<std::unique_ptr<Explorer>> Open(const std::vector<std::string>& names,
                                                              const ServeOptions& options, const Progress& progress);

  /// For measurements.
  [[nodiscard]] static Result<std::unique_ptr<Explorer>> Over(std::unique_ptr<ServedDataset> dataset);

  /// Returns the paths that are answered, and by what. The parameter `dataset` is the position in `names`, 0 unless
  /// given.
  [[nodiscard]] std::vector<Route> Routes();

 private:
  explicit Explorer(std::unique_ptr<OpenQuestions> questions) { shared_.questions = std::move(questions); }

  [[nodiscard]] Response Datasets() const;

  Exploration shared_;
};

}  // namespace ofindex
