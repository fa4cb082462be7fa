#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "index/columns/column.h"

namespace ofindex {

/// Reads a JSON array of numbers, strings, nulls and {"base64": "..."}, the SQL form of lists, value by value. Anything
/// else is not a list. Not thread-safe; `json` must outlive it.
///
///   JsonListReader reader(json);
///   while (reader.Next()) Use(reader.value());
///   if (!reader.sound()) ...
class JsonListReader {
 public:
  explicit JsonListReader(std::string_view json) : rest_(json) {}

  /// Reads the next value. Returns false after the last, and if `json` turns out not to be a list.
  [[nodiscard]] bool Next();

  /// After Next() returned false: true if `json` is a list with nothing after it.
  [[nodiscard]] bool sound() const { return state_ == State::kEnd; }

  /// The last value read: NULL, INTEGER, REAL, TEXT or, for base64, BLOB.
  [[nodiscard]] const ColumnValue& value() const { return value_; }

 private:
  enum class State { kBegin, kInside, kEnd, kWrong };

  [[nodiscard]] bool Fail();
  [[nodiscard]] bool Take(std::string_view token);
  [[nodiscard]] bool TakeValue();
  [[nodiscard]] bool TakeNumber();
  [[nodiscard]] bool TakeString(std::string& text);
  [[nodiscard]] bool TakeEscape(std::string& text);
  [[nodiscard]] std::optional<uint32_t> TakeHex();
  [[nodiscard]] bool TakeBase64();

  std::string_view rest_;
  State state_ = State::kBegin;
  ColumnValue value_;
};

}  // namespace ofindex
