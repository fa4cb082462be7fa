#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/wire/wire.h"
#include "tools/show/wire_rows.h"

namespace ofindex {

/// What came of explaining a payload.
struct WireOutcome {
  Malformed malformed;   ///< what is wrong with it: the same as DecodedRecord::Decode says; nothing if it is opaque
  uint64_t entries = 0;  ///< of the feature that was asked for
};

/// Explains every byte of `payload`, a message of `kind`, once and in order: a row for each tag with its length, rows
/// for each value. Up to what is malformed; the bytes from there on are a hexdump. Those of an opaque payload have
/// numbers and no names, and what may be a message in them is bytes; if it is no message at all, it is a hexdump.
///
/// With `feature`, rows are left out but for its entries: all that the payload has, and of a SequenceExample's lists
/// those called `NAME[]`. Takes memory for a row. Errors: those of `sink`.
[[nodiscard]] Result<WireOutcome> ExplainWire(ByteView payload, PayloadKind kind,
                                              const std::optional<std::string>& feature, LineSink sink);

}  // namespace ofindex
