#pragma once

struct sqlite3_context;
struct sqlite3_value;

namespace ofindex {

// The SQL aggregate functions median(x), percentile(x, p), variance(x) and stddev(x). NULL is left out; a text or a
// blob is an error; the result is a REAL, or NULL if there are too few numbers. Their memory is SQLite's, and counts to
// the limit of the session.

/// median(x) and percentile(x, p): the number below which p percent of the numbers lie, p from 0 to 100, interpolated
/// linearly between two numbers as by numpy.percentile(). Integers are rounded to the nearest double. Memory is 8 bytes
/// for each number of a group.
void StepRanked(sqlite3_context* context, int count, sqlite3_value** values);
void FinishRanked(sqlite3_context* context);

/// variance(x) and stddev(x) of a sample: the divisor is the count less one.
void StepMoments(sqlite3_context* context, int count, sqlite3_value** values);
void FinishVariance(sqlite3_context* context);
void FinishDeviation(sqlite3_context* context);

}  // namespace ofindex
