#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// Returns the shards that sets named NAME-SSSSS-of-NNNNN should have but that are not in `paths`, in order. At most
/// 1,000 per set, so that a name cannot demand unbounded memory.
[[nodiscard]] std::vector<std::string> MissingOfSets(const std::vector<std::string>& paths);

/// Returns keys of the sets that the file at `path` belongs to by its name, the most reliable first. Two files belong
/// together if they share a key. The keys are shared by files PREFIX-SSSSS-of-NNNNN with the same PREFIX and NNNNN; by
/// files part-N in one folder; by other files in one folder whose names differ only in digits (train_00 and train_12;
/// not x.mp3 and x.mp4, whose digits are those of a format); and by files in one folder with the same extension
/// (".tfrecord" of "a.tfrecord-00000-of-00002.gz" and "a.tfrecord.0"). Returns at most three keys; none if the name
/// implies no set.
[[nodiscard]] std::vector<std::string> SetsOf(std::string_view path);

/// Returns those keys of SetsOf that use the number in the name: all but the one for the extension.
[[nodiscard]] std::vector<std::string> NumberedSetsOf(std::string_view path);

/// Returns true if the number in the name is written as those of shards are: part-N, NAME-SSSSS-of-NNNNN, or with
/// leading zeros (train_00); not "run2", which a person may have named.
[[nodiscard]] bool HasShardNumber(std::string_view path);

/// Returns true if a set is in both.
[[nodiscard]] bool ShareSet(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// Returns the text after the number of part-0, part-00003-UUID.tfrecord and Spark's part-r-00003; nullopt for other
/// names.
[[nodiscard]] std::optional<std::string_view> AfterPartNumber(std::string_view name);

/// Returns true if the name alone is that of a shard: -SSSSS-of-NNNNN, part-N, or an extension used by writers of
/// record files.
[[nodiscard]] bool IsShardName(std::string_view path);

}  // namespace ofindex
