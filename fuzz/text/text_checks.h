#pragma once

#include "base/bytes.h"

namespace ofindex {

/// Packs CSV, TSV or JSON lines: each payload decodes, and rows read by their places are those read in order.
void CheckRows(ByteView input);

/// Parses the schema of a source, and packs a row by it.
void CheckSchema(ByteView input);

/// Reads ranges and lists of records: all of them exist, and are the same each time.
void CheckOrdinals(ByteView input);

/// Parses the state of a sampler, writes it, and resumes from it: at the position that it names, or with an error.
void CheckSamplerState(ByteView text);

/// Reads the part of a job that an index is, its choice of columns, lists as JSON, base64 and patterns. nlohmann::json
/// and SQLite are the oracles.
void CheckSmallFormats(ByteView input);

/// Selects records by an SQL expression, with kernels and row by row: the same records.
void CheckWhere(ByteView text);

/// Runs an SQL statement, with kernels and without: the same rows.
void CheckSql(ByteView text);

}  // namespace ofindex
