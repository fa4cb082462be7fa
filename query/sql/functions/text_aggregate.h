#pragma once

struct sqlite3_context;
struct sqlite3_value;

namespace ofindex {

/// The SQL aggregate function string_agg(x, separator), as SQLite has it from version 3.44 on: the texts of x in one,
/// each but the first after its separator; NULL is left out.
void StepStringAgg(sqlite3_context* context, int count, sqlite3_value** values);
void FinishStringAgg(sqlite3_context* context);

}  // namespace ofindex
