#pragma once

#include <cstdint>
#include <string_view>

namespace ofindex {

/// "OFIX", in the SQLite header's application_id.
inline constexpr int kApplicationId = 0x4f464958;

/// Returns the number at `at` in the header of an SQLite file (sqlite.org/fileformat2.html, 1.3).
[[nodiscard]] constexpr uint32_t HeaderNumber(std::string_view header, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<uint8_t>(header[at + i]);
  return number;
}

/// Returns true if `header`, the first bytes of a file, is that of an index, of any version.
[[nodiscard]] constexpr bool IsIndexHeader(std::string_view header) {
  constexpr size_t kApplicationIdAt = 68;
  return header.starts_with("SQLite format 3") && header.size() >= kApplicationIdAt + 4 &&
         HeaderNumber(header, kApplicationIdAt) == static_cast<uint32_t>(kApplicationId);
}

/// Large blobs are read twice as fast from pages of 64 KiB as from pages of 4 KiB (design.md).
inline constexpr int kPageBytes = 65536;

/// The tables of an index (docs/index_format.md describes every column). `dataset` is created first, so that its only
/// page is the second page of the file. The identity of an index is a hash of the first two pages (IdentityOf in
/// index/database/index_file.h), by which a map is bound to its index. Checksums cover every table here
/// (index/catalog/row_checksums.h): if a table has a column `sum`, that column covers the BLOB columns, which come
/// last.
inline constexpr char kSchema[] = R"sql(
CREATE TABLE dataset(
  key TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;
CREATE TABLE source(
  position INTEGER PRIMARY KEY,
  argument TEXT NOT NULL
) STRICT;
CREATE TABLE skipped(
  skipped INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  reason TEXT NOT NULL,
  kind TEXT NOT NULL,
  size INTEGER,
  mtime_ns INTEGER,
  ctime_ns INTEGER,
  inode INTEGER
) STRICT;
CREATE TABLE generation(
  number INTEGER PRIMARY KEY,
  records INTEGER NOT NULL,
  fingerprint TEXT NOT NULL
) STRICT;
CREATE TABLE shard(
  shard INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  format TEXT NOT NULL,
  compression TEXT NOT NULL,
  payload TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  file INTEGER NOT NULL,
  "begin" INTEGER NOT NULL,
  first_record INTEGER NOT NULL,
  records INTEGER NOT NULL,
  payload_bytes INTEGER NOT NULL,
  inflated_bytes INTEGER
) STRICT;
CREATE TABLE absence(
  absence INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  since INTEGER NOT NULL,
  "until" INTEGER
) STRICT;
CREATE TABLE checkpoint(
  shard INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bit INTEGER NOT NULL,
  window BLOB NOT NULL,
  PRIMARY KEY(shard, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE block(
  block INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  first_record INTEGER NOT NULL,
  records INTEGER NOT NULL,
  "begin" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  offsets BLOB NOT NULL,
  hashes BLOB
) STRICT;
CREATE TABLE damage(
  damage INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  "begin" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  reason TEXT NOT NULL,
  file_begin INTEGER,
  file_end INTEGER
) STRICT;
CREATE TABLE bad(
  record INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE feature(
  feature INTEGER PRIMARY KEY,
  name ANY NOT NULL,
  kinds TEXT NOT NULL,
  present INTEGER NOT NULL,
  "values" INTEGER NOT NULL,
  values_min INTEGER NOT NULL,
  values_max INTEGER NOT NULL,
  single INTEGER NOT NULL,
  largest_bytes INTEGER NOT NULL,
  whole INTEGER NOT NULL,
  value_column TEXT,
  count_column TEXT,
  size_column TEXT,
  type TEXT,
  sketch BLOB
) STRICT;
CREATE TABLE shard_feature(
  shard INTEGER PRIMARY KEY,
  sum INTEGER NOT NULL,
  features BLOB NOT NULL
) STRICT;
CREATE TABLE chunk(
  chunk INTEGER PRIMARY KEY,
  feature INTEGER NOT NULL,
  role TEXT NOT NULL,
  block INTEGER NOT NULL,
  nulls INTEGER NOT NULL,
  nans INTEGER NOT NULL,
  min ANY,
  max ANY,
  sum INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE TABLE checksum(
  part TEXT PRIMARY KEY,
  rows INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX chunk_of_column ON chunk(feature, role, block);
)sql";

}  // namespace ofindex
