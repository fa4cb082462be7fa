#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/ordinals/list_reader.h"

namespace ofindex {

/// The ordinals of a JSON value: an object with one, or an array or object with lists of them. See OrdinalList. Not
/// thread-safe.
class JsonOrdinals {
 public:
  /// `list` must outlive this.
  explicit JsonOrdinals(ListReader& list) : list_(list) {}

  /// Moves past the bracket that opens a value. Errors: kUsage if it lies too deep; those of ByteReader.
  [[nodiscard]] Result<void> Enter();

  /// Returns whether a value was entered whose end was not reached.
  [[nodiscard]] bool is_open() const { return !open_.empty(); }

  /// Sets `ordinal` to the next ordinal of the open value, or returns false at its end. Errors: those of OrdinalList.
  [[nodiscard]] Result<bool> Next(uint64_t& ordinal);

 private:
  // An array of JSON with ordinals or objects, or an object with an ordinal or lists of them.
  struct OpenValue {
    bool is_object = false;
    bool found = false;  // a member with ordinals
    bool after_value = false;
  };

  [[nodiscard]] Result<bool> TakeElement(uint64_t& ordinal);
  [[nodiscard]] Result<bool> TakeMember(uint64_t& ordinal);
  [[nodiscard]] Result<bool> TakeNumber(uint64_t& ordinal);
  [[nodiscard]] Result<void> Leave();
  [[nodiscard]] Result<int> PeekInside();
  [[nodiscard]] Result<std::string> TakeString();
  [[nodiscard]] Result<void> SkipValue();

  ListReader& list_;
  std::vector<OpenValue> open_;  // the innermost is the last
};

}  // namespace ofindex
