#pragma once

#include <optional>
#include <string>
#include <vector>

#include "index/catalog/catalog.h"
#include "index/columns/column.h"

namespace ofindex {

/// What an index says about its columns, read before a build replaces it.
struct FormerColumns {
  std::string choice;   ///< its --columns
  std::string derive;   ///< its --derive
  std::string message;  ///< its --message
  std::vector<FeatureRow> features;

  /// Reads the columns of the index `path`; nullopt if there is none, or if it cannot be read.
  [[nodiscard]] static std::optional<FormerColumns> Of(const std::string& path);
};

/// Columns that an index no longer has, because other ones were requested or other values came. A value type.
struct DroppedColumns {
  std::vector<std::string> names = {};  ///< their SQL names, or "lists of NAME" if only the lists are gone
  std::string choice_to_keep = {};      ///< the --columns that stores them as well; empty if no other choice does
  std::vector<std::string> derive_to_keep = {};  ///< each --derive that does; empty if none does
};

/// Returns the columns of `former` that an index of `facts` and `features` lacks although its records have the
/// feature. Columns of another message are not compared.
[[nodiscard]] DroppedColumns DroppedFrom(const FormerColumns& former, const DatasetFacts& facts,
                                         const std::vector<FeatureRow>& features);

}  // namespace ofindex
