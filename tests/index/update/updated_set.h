#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "base/progress.h"
#include "index/update/updater.h"
#include "tests/index/built_set.h"
#include "tests/index/update/index_contents.h"

namespace ofindex {

/// A set whose index follows its files, and next to it an index that is always built anew, "fresh.ofidx".
class UpdatedSet : public BuiltSet {
 public:
  using BuiltSet::BuiltSet;

  /// Updates the index of a set that was built with `options`, and ends the test if that fails.
  [[nodiscard]] UpdateReport Update(const BuildOptions& options, bool prune = false) const {
    Progress progress;
    UpdateOptions update{.index = index(), .prune = prune, .threads = options.threads};
    update.durability = AtomicFile::Durability::kCached;
    update.segment_bytes = options.segment_bytes;
    Result<UpdateReport> report = UpdateIndex(update, progress);
    REQUIRE_MESSAGE(report.has_value(), report.error().message);
    return std::move(*report);
  }

  /// Builds the files as they are.
  [[nodiscard]] IndexContents BuildFresh(BuildOptions options) const {
    options.index = folder() + "/fresh.ofidx";
    options.force = true;
    Build(options);
    return ReadIndex(options.index);
  }
};

}  // namespace ofindex
