#pragma once

#include <cstdint>
#include <optional>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// Finds a TFRecord header in [begin, end) of `file`, of which `size` bytes count: the first position whose length
/// checksum holds and whose record ends inside the file. By chance that happens once in 2^32 positions, and a payload may
/// hold records itself, so it is an anchor to start from, not the truth. nullopt if there is none. Errors: kIo.
[[nodiscard]] Result<std::optional<uint64_t>> FindHeader(const File& file, uint64_t size, uint64_t begin, uint64_t end);

/// What a search for the next record came to.
struct Resync {
  std::optional<uint64_t> found;  ///< where the next record begins
  bool gave_up = false;           ///< the budget was used up before the end of the file
};

/// Finds the first TFRecord at or after `begin` whose length checksum and payload checksum both hold.
///
/// Every candidate costs the bytes of its payload, and a hostile file can hold very many: `budget` is what may be
/// spent, in payload bytes, and what is left of it afterwards. A budget of a few times the file's size makes the cost
/// linear and lets every real record through. Errors: kIo.
[[nodiscard]] Result<Resync> FindRecord(const File& file, uint64_t size, uint64_t begin, uint64_t& budget);

/// True if the CRC32C of the payload of the TFRecord at `begin`, `length` bytes, is the one stored behind it.
/// Errors: kIo.
[[nodiscard]] Result<bool> PayloadCrcHolds(const File& file, uint64_t begin, uint64_t length);

}  // namespace ofindex
