#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace limits {

/// Arguments of a command, without its name.
using Words = std::span<char*>;

// Each command returns an exit code. A data folder FOLDER has shards in order of their names, and FOLDER.places has a
// file of the same name for each of them, with two u64 per record: offset and size of the payload.

/// make FOLDER RECORDS SHARDS MIN_IMAGE MAX_IMAGE mixed|sorted|soft: writes the shards and places. With `sorted`,
/// the labels ascend; with `soft`, deflate halves the images.
int Make(Words words);

/// walk FOLDER: reads every byte through a buffer of 256 KiB and follows the lengths. Answer: number of records.
int Walk(Words words);

/// hop FOLDER CHAINS: reads only the headers, one pread each, of CHAINS shards at once. Answer: number of records.
int Hop(Words words);

/// columns FOLDER: extracts label, height, width and score of all records into arrays, by as many threads as there are
/// processors. No answer.
int ExtractColumns(Words words);

/// copy FOLDER AT_ONCE RECORDS: copies RECORDS random payloads to a buffer, AT_ONCE at a time. If AT_ONCE is 1, each is
/// copied before the next is known; otherwise cache lines are prefetched some records ahead. No answer.
int Copy(Words words);

/// epoch FOLDER raw|decoded: all records in random order, in batches of 256, by as many threads as there are
/// processors; copied, or decoded into arrays. Answer: number of records, sum of labels (0 if raw), bytes of
/// images or payloads.
int Epoch(Words words);

/// scan RECORDS where|equal|groups|bins|top|sum mixed|sorted: answers a query on arrays in memory
/// (bench/tasks/query.py).
int Scan(Words words);

/// Numbers that any tool should find.
using Answer = std::vector<uint64_t>;

/// Prints the line of a command: [amount, seconds, answer].
void Print(uint64_t amount, std::chrono::steady_clock::duration time, const Answer& answer);

}  // namespace limits
