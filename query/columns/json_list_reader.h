#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "index/columns/column.h"

namespace ofindex {

/// Reads a JSON array of numbers, strings, nulls and {"base64": "..."}, value by value: what lists look like in SQL.
/// Anything else is no list. Not thread-safe; `json` must outlive it.
///
///   JsonListReader reader(json);
///   while (reader.Next()) Use(reader.value());
///   if (!reader.sound()) ...
class JsonListReader {
 public:
  explicit JsonListReader(std::string_view json) : rest_(json) {}

  /// Reads the next value. False after the last, and where `json` turns out to be no list.
  [[nodiscard]] bool Next();

  /// Once Next() was false: `json` is a list, and there was nothing behind it.
  [[nodiscard]] bool sound() const { return state_ == State::kEnd; }

  /// The value that was read last: NULL, INTEGER, REAL, TEXT or, of base64, BLOB.
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
