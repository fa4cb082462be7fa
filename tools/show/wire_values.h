#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "proto/wire/wire.h"
#include "tools/show/wire_fields.h"
#include "tools/show/wire_rows.h"

namespace ofindex {

/// Adds the rows of one value, written as `type`; `holds` is its known content.
void AddValue(WireRows& rows, ByteView value, int depth, WireType type, Holds holds);

/// A packed list of numbers.
class PackedRows {
 public:
  /// Reads `chunk`, a packed field of the message that `list` reads; errors are reported to `list`.
  PackedRows(WireReader list, ByteView chunk, Holds holds);

  /// Returns ": 3 packed values" for the preceding row; for a malformed list it says only that the list is packed.
  [[nodiscard]] std::string text() const;

  /// Adds the rows of the values, several per row unless they need an explanation. For a malformed list, adds the
  /// values before the fault and returns false.
  bool Add(WireRows& rows, int depth) const;

 private:
  void ReadFixed(WireReader& list, size_t size);
  void ReadVarints(const WireReader& list);
  [[nodiscard]] ByteView Row(ByteView rest) const;
  [[nodiscard]] std::string Text(ByteView row) const;

  ByteView chunk_;  // the valid part
  Holds holds_;
  bool ok_ = true;
  bool wide_ = false;
  uint64_t count_ = 0;
};

}  // namespace ofindex
