#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "index/catalog/catalog.h"
#include "index/columns/column.h"
#include "index/shards/shard_set.h"
#include "proto/features.h"

namespace ofindex {

using Json = nlohmann::ordered_json;

/// `document` as text, on one line.
[[nodiscard]] std::string Dump(const Json& document);

/// Any text as a JSON string: what is not UTF-8 is shown as \xNN.
[[nodiscard]] Json JsonText(std::string_view text);

/// A bytes value: a string where it is UTF-8, else {"base64": "..."}.
[[nodiscard]] Json JsonBytes(ByteView bytes);

/// A number, or the string that protobuf's JSON has for what is not finite.
[[nodiscard]] Json JsonReal(double value);

/// The features of a record, as docs/cli.md promises them: NAME -> {"kind", "values"}, lists as NAME[].
[[nodiscard]] Json JsonFeatures(const DecodedRecord& record);

/// One feature of `record`.
[[nodiscard]] Json JsonFeature(const DecodedRecord& record, FeatureValue value);

// Arrays that more than one verb has.
[[nodiscard]] Json JsonTexts(const std::vector<std::string>& texts);
[[nodiscard]] Json JsonDamage(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards);
[[nodiscard]] Json JsonBad(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards);
[[nodiscard]] Json JsonShards(const std::vector<ShardRow>& shards);
[[nodiscard]] Json JsonFeatureRows(const std::vector<FeatureRow>& features);
[[nodiscard]] Json JsonSkipped(const std::vector<SkippedFile>& skipped);

}  // namespace ofindex
