#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// The shards that sets named NAME-SSSSS-of-NNNNN should have and that are not among `paths`, in order. At most 1,000
/// are listed of each set, so that a name cannot ask for memory.
[[nodiscard]] std::vector<std::string> MissingOfSets(const std::vector<std::string>& paths);

/// The sets that the file at `path` belongs to by its name, the surest first: PREFIX-SSSSS-of-NNNNN of one prefix and
/// number, part-N of one folder; for other names with digits, those that differ in digits alone, in one folder
/// (train_00 and train_12; not x.mp3 and x.mp4, whose digits are those of a format); the same extension in one folder
/// (".tfrecord" of "a.tfrecord-00000-of-00002.gz" and "a.tfrecord.0"). Two files belong together if one of their texts
/// is equal. At most three; empty if the name says nothing.
[[nodiscard]] std::vector<std::string> SetsOf(std::string_view path);

/// The sets of SetsOf that the number in the name puts the file in: all but that of its extension.
[[nodiscard]] std::vector<std::string> NumberedSetsOf(std::string_view path);

/// Returns true if a set is in both.
[[nodiscard]] bool ShareSet(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// What stands behind the number of part-0, of part-00003-UUID.tfrecord and of Spark's part-r-00003; nullopt of the
/// names of other files.
[[nodiscard]] std::optional<std::string_view> AfterPartNumber(std::string_view name);

/// Returns true if the name alone is that of a shard: -SSSSS-of-NNNNN, part-N, or an extension that writers of record
/// files use.
[[nodiscard]] bool IsShardName(std::string_view path);

}  // namespace ofindex
