#pragma once

#include <optional>
#include <string_view>

#include "base/record.h"

namespace ofindex {

/// The file beside shards of `pack` that says which label has which number.
inline constexpr std::string_view kLabelsName = "_labels.tsv";

/// True of part-0, part-1, ...
[[nodiscard]] bool IsPartName(std::string_view name);

/// True of SET-00000-of-00008.tfrecord, and the same with .gz; of any SET if `set` is not given.
[[nodiscard]] bool IsNumberedTfRecord(std::string_view name, std::optional<std::string_view> set = {});

/// The format that a file's name says, if it says one.
[[nodiscard]] std::optional<Framing> FramingOfName(std::string_view name);

}  // namespace ofindex
