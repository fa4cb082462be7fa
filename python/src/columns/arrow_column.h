#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "index/chunks/chunk.h"
#include "python/src/columns/arrow.h"

namespace ofindex::python {

/// The type of a column's values, in Arrow and numpy.
enum class ValueType : uint8_t { kNull, kInt64, kFloat32, kFloat64, kText, kBinary, kList };

/// The values of one column in Arrow's layout, collected one by one. Moves, does not copy.
class ArrowColumn {
 public:
  explicit ArrowColumn(ValueType type, ValueType item = ValueType::kNull);

  [[nodiscard]] ValueType type() const { return type_; }
  [[nodiscard]] bool IsNumeric() const {
    return type_ == ValueType::kInt64 || type_ == ValueType::kFloat32 || type_ == ValueType::kFloat64;
  }
  [[nodiscard]] int64_t size() const { return size_; }
  [[nodiscard]] int64_t nulls() const { return nulls_; }

  /// Adds an SQL value. The column changes to the type that holds it and all values so far: kNull becomes any type,
  /// kInt64 becomes kFloat64 for a real, kText becomes kBinary for bytes. Returns false if there is no such type:
  /// numbers and texts cannot be mixed, nor reals and integers that no double represents.
  [[nodiscard]] bool Add(const Chunk::Value& value);

  // These require a column of the matching type; the type does not change.
  void AddNull();
  void AddInteger(int64_t value) { AddFixed(value); }
  void AddReal(double value);
  void AddBytes(ByteView value);

  /// For kList: ends a list whose items were added to items(), or adds a NULL.
  void EndList(bool present);
  [[nodiscard]] ArrowColumn& items() { return *items_; }

  // The collected values. There is one more offset than there are values. Offsets are into data for kText and kBinary,
  // into items for kList.
  [[nodiscard]] const std::vector<uint8_t>& data() const { return data_; }
  [[nodiscard]] const std::vector<int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] const ArrowColumn& items() const { return *items_; }
  [[nodiscard]] bool IsNull(int64_t i) const { return (valid_[static_cast<size_t>(i) / 8] >> (i % 8) & 1) == 0; }

  /// Exports the values to `out`, which keeps `column` alive until its consumer releases it.
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

/// Returns whether every integer of at most this magnitude can be represented exactly as a double.
[[nodiscard]] constexpr bool FitsDouble(int64_t value) {
  return -(int64_t{1} << 53) <= value && value <= int64_t{1} << 53;
}

/// The name and type of a column in a schema.
struct ArrowField {
  std::string name;  ///< UTF-8
  ValueType type = ValueType::kNull;
  ValueType item = ValueType::kNull;  ///< for kList
};

/// Exports a struct of `fields`, and an array of that struct: a batch of rows.
void ExportSchema(const std::vector<ArrowField>& fields, ArrowSchema& out);
void ExportBatch(const std::shared_ptr<const std::vector<ArrowColumn>>& columns, int64_t rows, ArrowArray& out);

}  // namespace ofindex::python
