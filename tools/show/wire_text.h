#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/wire/wire.h"
#include "tools/show/wire_rows.h"

namespace ofindex {

/// The result of explaining a payload.
struct WireOutcome {
  Malformed malformed;   ///< what is wrong, as DecodedRecord::Decode reports it; nothing for an opaque payload
  uint64_t entries = 0;  ///< of the requested feature
};

/// Explains every byte of `payload`, a message of `kind`, once and in order: a row for each tag with its length, rows
/// for each value. From the first malformed byte on, the rest is a hexdump. Fields of an opaque payload have numbers
/// instead of names, and possible submessages are shown as bytes; a payload that is not a message at all is a hexdump.
///
/// With `feature`, only its entries are shown: all that the payload has and, for a SequenceExample's lists, those
/// called `NAME[]`. Takes the memory of one row. Errors: those of `sink`; kInterrupted once `cancel`, which may be
/// null, is true.
[[nodiscard]] Result<WireOutcome> ExplainWireRows(ByteView payload, PayloadKind kind,
                                                  const std::optional<std::string>& feature, WireRowSink sink,
                                                  const std::atomic<bool>* cancel = nullptr);

/// Takes a line, without its newline.
using LineSink = std::function<Result<void>(std::string_view)>;

/// Does the same with the lines of a dump.
[[nodiscard]] Result<WireOutcome> ExplainWire(ByteView payload, PayloadKind kind,
                                              const std::optional<std::string>& feature, const LineSink& sink);

}  // namespace ofindex
