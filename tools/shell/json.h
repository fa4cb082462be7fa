#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "index/catalog/catalog.h"
#include "index/columns/column.h"
#include "index/shards/shard_set.h"

namespace ofindex {

using Json = nlohmann::ordered_json;

/// Serialises `document` on one line.
[[nodiscard]] std::string Dump(const Json& document);

/// Returns any text as a JSON string; bytes that are not UTF-8 are shown as \xNN.
[[nodiscard]] Json JsonText(std::string_view text);

/// Returns a bytes value: a string if it is UTF-8, otherwise {"base64": "..."}.
[[nodiscard]] Json JsonBytes(ByteView bytes);

/// Returns a number, or the string that protobuf's JSON uses for a value that is not finite.
[[nodiscard]] Json JsonReal(double value);

/// Returns the double that is written as the float of value `real` is: 0.2 for 0.20000000298023224, the float nearest
/// to 0.2. As a float, it is the same. Returns `real` if no float has this value.
[[nodiscard]] double AsFloat(double real);

// Arrays that several verbs print.
[[nodiscard]] Json JsonTexts(const std::vector<std::string>& texts);
[[nodiscard]] Json JsonDamage(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards);
[[nodiscard]] Json JsonBad(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards);
[[nodiscard]] Json JsonShards(const std::vector<ShardRow>& shards);
[[nodiscard]] Json JsonFeatureRows(const std::vector<FeatureRow>& features);
[[nodiscard]] Json JsonSkipped(const std::vector<SkippedFile>& skipped);

}  // namespace ofindex
