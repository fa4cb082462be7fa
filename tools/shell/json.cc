#include "tools/shell/json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "query/columns/base64.h"

namespace ofindex {
namespace {

Json JsonKinds(uint8_t kinds) {
  Json array = Json::array();
  for (const FeatureKind kind : {FeatureKind::kNone, FeatureKind::kBytes, FeatureKind::kFloat, FeatureKind::kDouble,
                                 FeatureKind::kInt32, FeatureKind::kInt64}) {
    if ((kinds >> static_cast<uint8_t>(kind) & 1) != 0) array.push_back(Name(kind));
  }
  return array;
}

std::string_view PathOf(uint32_t shard, const std::vector<ShardRow>& shards) {
  return shard < shards.size() ? std::string_view(shards[shard].path) : std::string_view();
}

}  // namespace

std::string Dump(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json JsonText(std::string_view text) { return IsUtf8(text) ? std::string(text) : Printable(text); }

Json JsonBytes(ByteView bytes) {
  if (IsUtf8(AsText(bytes))) return std::string(AsText(bytes));
  std::string encoded;
  AppendBase64(bytes, encoded);
  return {{"base64", std::move(encoded)}};
}

// Floats are widened exactly. JSON cannot express values that are not finite, so protobuf's JSON strings are used.
double AsFloat(double real) {
  if (!(std::abs(real) <= double{std::numeric_limits<float>::max()})) return real;
  const auto single = static_cast<float>(real);
  if (double{single} != real) return real;
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), single);
  double read = real;
  std::from_chars(text.data(), written.ptr, read);
  return static_cast<float>(read) == single ? read : real;
}

Json JsonReal(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json JsonTexts(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(JsonText(text));
  return list;
}

Json JsonDamage(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards) {
  Json array = Json::array();
  for (const DamageRow& row : damage) {
    Json one = {{"shard", JsonText(PathOf(row.shard, shards))},
                {"begin", row.range.begin},
                {"end", row.range.end},
                {"reason", Name(row.range.reason)}};
    if (row.range.file) {
      one["file_begin"] = row.range.file->begin;
      one["file_end"] = row.range.file->end;
    }
    array.push_back(std::move(one));
  }
  return array;
}

Json JsonBad(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards) {
  Json array = Json::array();
  for (const BadRow& row : bad) {
    array.push_back({{"record", row.record},
                     {"shard", JsonText(PathOf(row.shard, shards))},
                     {"offset", row.offset},
                     {"reason", Name(row.reason)}});
  }
  return array;
}

Json JsonShards(const std::vector<ShardRow>& shards) {
  Json array = Json::array();
  for (const ShardRow& shard : shards) {
    array.push_back({{"path", JsonText(shard.path)},
                     {"format", Name(shard.framing)},
                     {"compression", Name(shard.compression)},
                     {"payload", Name(shard.payload)},
                     {"records", shard.records},
                     {"bytes", shard.identity.size},
                     {"payload_bytes", shard.payload_bytes}});
  }
  return array;
}

Json JsonFeatureRows(const std::vector<FeatureRow>& features) {
  Json array = Json::array();
  for (const FeatureRow& row : FeaturesByName(features)) {
    const std::string& column = MainColumn(row);
    Json derived = Json::array();
    for (const DerivedColumn& one : row.derived) {
      derived.push_back({{"column", one.name}, {"what", Describe(one.role)}, {"type", TypeOfFacts(one.role)}});
    }
    array.push_back({{"name", JsonBytes(AsBytes(row.name))},
                     {"kinds", JsonKinds(row.kinds)},
                     {"present", row.present},
                     {"values", row.values},
                     {"values_min", row.values_min},
                     {"values_max", row.values_max},
                     {"column", column.empty() ? Json(nullptr) : Json(column)},
                     {"columns", ColumnNamesOf(row)},
                     {"derived", std::move(derived)},
                     {"type", column.empty() ? Json(nullptr) : Json(MainType(row))},
                     {"origin", row.origin.empty() ? Json(nullptr) : JsonText(row.origin)}});
  }
  return array;
}

Json JsonSkipped(const std::vector<SkippedFile>& skipped) {
  Json array = Json::array();
  for (const SkippedFile& file : skipped) {
    array.push_back({{"path", JsonText(file.path)}, {"reason", JsonText(file.reason)}});
  }
  return array;
}

}  // namespace ofindex
