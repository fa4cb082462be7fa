#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "query/sql/sql_session.h"
#include "query/tables/catalog_tables.h"

namespace ofindex {

/// A catalog of two shards, five features, one bad record and one damaged range.
inline Catalog SomeCatalog() {
  Catalog catalog;
  catalog.shards = {{.path = "train/part-0",
                     .framing = Framing::kTfRecord,
                     .payload = PayloadKind::kExample,
                     .identity = {{.size = 4000}, 0},
                     .records = 30,
                     .payload_bytes = 3520},
                    {.path = "train/part-\xff",
                     .framing = Framing::kTfRecord,
                     .payload = PayloadKind::kExample,
                     .identity = {{.size = 100}, 0},
                     .first_record = 30,
                     .records = 2,
                     .payload_bytes = 60}};
  const auto feature = [](std::string name, FeatureKind kind, std::string column, std::string type) {
    FeatureRow row;
    row.name = std::move(name);
    row.kinds = static_cast<uint8_t>(1U << static_cast<unsigned>(kind));
    row.present = 32;
    row.values_min = row.values_max = 1;
    row.sql_value = std::move(column);
    row.type = std::move(type);
    return row;
  };
  catalog.features = {feature("image/height", FeatureKind::kInt64, "image/height", "INTEGER"),
                      feature("image/width", FeatureKind::kInt64, "image/width", "INTEGER"),
                      feature("score", FeatureKind::kFloat, "score", "REAL"),
                      feature("x\"; DROP TABLE shards; --", FeatureKind::kBytes, "x\"; DROP TABLE shards; --", "TEXT"),
                      feature("\xfe", FeatureKind::kBytes, "\\xfe", "BLOB")};
  catalog.bad = {{.record = 31, .shard = 1, .offset = 50, .reason = BadReason::kPayloadCrc}};
  catalog.damage = {{.shard = 0, .range = {.begin = 10, .end = 20, .reason = DamageReason::kTornTail}}};
  return catalog;
}

/// Opens a session on SomeCatalog(), without records. Ends the test if that fails.
inline SqlSession OpenCatalogSession() {
  const auto catalog = std::make_shared<const Catalog>(SomeCatalog());
  auto session = SqlSession::Open([&](sqlite3* db, const WorkLimits&) { return RegisterCatalogTables(db, catalog); },
                                  {std::begin(kCatalogTables), std::end(kCatalogTables)});
  REQUIRE_MESSAGE(session.has_value(), session.error().message);
  return std::move(*session);
}

/// Returns a value as SQL writes it.
inline std::string ShownValue(const SqlValue& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return "NULL";
    case ColumnValue::Type::kInteger: return std::to_string(value.integer);
    case ColumnValue::Type::kReal: return std::to_string(value.real);
    case ColumnValue::Type::kText: return "'" + std::string(AsText(value.bytes)) + "'";
    case ColumnValue::Type::kBlob: return "x'" + ToHex(value.bytes) + "'";
  }
  return "?";
}

/// Returns all rows of a statement, with spaces between values and newlines between rows; or its error, as "code:
/// message".
inline std::string Answer(SqlSession& session, std::string_view sql, const std::vector<SqlParameter>& parameters = {},
                          const SqlLimits& limits = {}) {
  const auto error = [](const Error& e) { return std::to_string(ExitCode(e.code)) + ": " + e.message; };
  Result<SqlRows> rows = session.Query(sql, parameters, limits);
  if (!rows) return error(rows.error());
  std::string text;
  for (;;) {
    const Result<bool> row = rows->Next();
    if (!row) return error(row.error());
    if (!*row) return text + (rows->truncated() ? "..." : "");
    if (!text.empty()) text += '\n';
    for (size_t i = 0; i < rows->columns().size(); ++i) text += (i == 0 ? "" : " ") + ShownValue(rows->At(i));
  }
}

}  // namespace ofindex
