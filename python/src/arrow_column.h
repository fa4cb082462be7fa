#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "index/chunks/chunk.h"
#include "python/src/arrow.h"

namespace ofindex::python {

/// What the values of a column are, in Arrow and numpy.
enum class ValueType : uint8_t { kNull, kInt64, kFloat32, kFloat64, kText, kBinary, kList };

/// The values of one column, collected one by one, as Arrow lays them out. Moves, does not copy.
class ArrowColumn {
 public:
  explicit ArrowColumn(ValueType type, ValueType item = ValueType::kNull);

  [[nodiscard]] ValueType type() const { return type_; }
  [[nodiscard]] bool IsNumeric() const {
    return type_ == ValueType::kInt64 || type_ == ValueType::kFloat32 || type_ == ValueType::kFloat64;
  }
  [[nodiscard]] int64_t size() const { return size_; }
  [[nodiscard]] int64_t nulls() const { return nulls_; }

  /// Adds a value as SQL has it. The column becomes the type that takes it and all before: kNull anything, kInt64 a
  /// real (as kFloat64), kText bytes (as kBinary). False if there is none: numbers and texts do not go together, nor
  /// reals and integers that no double holds.
  [[nodiscard]] bool Add(const Chunk::Value& value);

  // Of a column whose type says so; no type changes.
  void AddNull();
  void AddInteger(int64_t value) { AddFixed(value); }
  void AddReal(double value);
  void AddBytes(ByteView value);

  /// Of kList: ends a list whose items were added to items(), or adds a NULL.
  void EndList(bool present);
  [[nodiscard]] ArrowColumn& items() { return *items_; }

  // What was collected. Offsets are one more than values, of kText and kBinary in data, of kList in items.
  [[nodiscard]] const std::vector<uint8_t>& data() const { return data_; }
  [[nodiscard]] const std::vector<int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] const ArrowColumn& items() const { return *items_; }
  [[nodiscard]] bool IsNull(int64_t i) const { return (valid_[static_cast<size_t>(i) / 8] >> (i % 8) & 1) == 0; }

  /// Hands the values to `out`, which keeps `column` until whoever gets it releases it.
  static void Export(std::shared_ptr<const ArrowColumn> column, ArrowArray& out);

 private:
  template <typename T>
  void AddFixed(T value) {
    AddValid(true);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    data_.insert(data_.end(), bytes, bytes + sizeof value);
  }

  void AddValid(bool valid);
  [[nodiscard]] bool Become(ValueType type);

  ValueType type_;
  int64_t size_ = 0;
  int64_t nulls_ = 0;
  std::vector<uint8_t> valid_;
  std::vector<uint8_t> data_;
  std::vector<int64_t> offsets_;
  std::unique_ptr<ArrowColumn> items_;
};

/// Whether each integer up to the size of `value` has a double of its own.
[[nodiscard]] constexpr bool FitsDouble(int64_t value) {
  return -(int64_t{1} << 53) <= value && value <= int64_t{1} << 53;
}

/// A column in a schema.
struct ArrowField {
  std::string name;  ///< UTF-8
  ValueType type = ValueType::kNull;
  ValueType item = ValueType::kNull;  ///< of kList
};

/// A struct of `fields`, and an array of it: a batch of rows.
void ExportSchema(const std::vector<ArrowField>& fields, ArrowSchema& out);
void ExportBatch(const std::shared_ptr<const std::vector<ArrowColumn>>& columns, int64_t rows, ArrowArray& out);

}  // namespace ofindex::python
