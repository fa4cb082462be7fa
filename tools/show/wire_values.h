#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "proto/wire/wire.h"
#include "tools/show/wire_fields.h"
#include "tools/show/wire_rows.h"

namespace ofindex {

/// Adds the rows of one value, written as `type`: `holds` is what it is known to be, a value.
void AddValue(WireRows& rows, ByteView value, int depth, WireType type, Holds holds);

/// A packed list of numbers.
class PackedRows {
 public:
  /// Reads `chunk`, a packed field of the message that `list` reads; what is wrong with it, `list` is told.
  PackedRows(WireReader list, ByteView chunk, Holds holds);

  /// ": 3 packed values", for the row before; of a malformed list, that it is packed.
  [[nodiscard]] std::string text() const;

  /// Adds the rows of its values, several to a row unless they have to be worked out. Of a malformed list those before
  /// what is wrong; returns false then.
  bool Add(WireRows& rows, int depth) const;

 private:
  void ReadFixed(WireReader& list, size_t size);
  void ReadVarints(const WireReader& list);
  [[nodiscard]] ByteView Row(ByteView rest) const;
  [[nodiscard]] std::string Text(ByteView row) const;

  ByteView chunk_;  // what is sound
  Holds holds_;
  bool ok_ = true;
  bool wide_ = false;
  uint64_t count_ = 0;
};

}  // namespace ofindex
