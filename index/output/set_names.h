#pragma once

#include <optional>
#include <string_view>

#include "base/record.h"

namespace ofindex {

/// The file next to shards written by `pack` that maps labels to numbers.
inline constexpr std::string_view kLabelsName = "_labels.tsv";

/// Returns true for part-0, part-1, ...
[[nodiscard]] bool IsPartName(std::string_view name);

/// Returns true for SET-00000-of-00008.tfrecord, also with .gz; any SET if `set` is not given.
[[nodiscard]] bool IsNumberedTfRecord(std::string_view name, std::optional<std::string_view> set = {});

/// Returns the format implied by a file's name, if any.
[[nodiscard]] std::optional<Framing> FramingOfName(std::string_view name);

}  // namespace ofindex
