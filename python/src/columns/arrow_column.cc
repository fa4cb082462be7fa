#include "python/src/columns/arrow_column.h"

#include <array>
#include <cstring>
#include <utility>

namespace ofindex::python {
namespace {

size_t WidthOf(ValueType type) {
  switch (type) {
    case ValueType::kInt64:
    case ValueType::kFloat64: return 8;
    case ValueType::kFloat32: return 4;
    default: return 0;
  }
}

bool HasOffsets(ValueType type) {
  return type == ValueType::kText || type == ValueType::kBinary || type == ValueType::kList;
}

const char* FormatOf(ValueType type) {
  switch (type) {
    case ValueType::kNull: return "n";
    case ValueType::kInt64: return "l";
    case ValueType::kFloat32: return "f";
    case ValueType::kFloat64: return "g";
    case ValueType::kText: return "U";
    case ValueType::kBinary: return "Z";
    case ValueType::kList: return "+L";
  }
  return "n";
}

// Owns what an exported array points to, until it is released.
struct OwnedArray {
  std::shared_ptr<const ArrowColumn> column;  // null for a batch, whose children keep their own columns
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

// A child that was moved out has a null release callback, and belongs to the new owner.
template <typename Struct, typename Owned>
void Release(Struct* released) {
  for (int64_t i = 0; i < released->n_children; ++i) {
    if (released->children[i]->release != nullptr) released->children[i]->release(released->children[i]);
  }
  delete static_cast<Owned*>(released->private_data);
  released->release = nullptr;
}

struct OwnedSchema {
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

// Allocates `n` children, which the owner keeps at fixed addresses.
template <typename Owned, typename Struct>
void GiveChildren(Owned& owned, std::vector<Struct>& children, size_t n, Struct& out) {
  children.resize(n);
  for (Struct& child : children) owned.pointers.push_back(&child);
  out.n_children = static_cast<int64_t>(n);
  out.children = owned.pointers.data();
}

void ExportField(const ArrowField& field, ArrowSchema& out) {
  auto* const owned = new OwnedSchema{.name = field.name, .children = {}, .pointers = {}};
  out = {};
  out.format = FormatOf(field.type);
  out.name = owned->name.c_str();
  out.flags = kArrowNullable;
  if (field.type == ValueType::kList) {
    GiveChildren(*owned, owned->children, 1, out);
    ExportField({.name = "item", .type = field.item}, owned->children[0]);
  }
  out.release = &Release<ArrowSchema, OwnedSchema>;
  out.private_data = owned;
}

}  // namespace

ArrowColumn::ArrowColumn(ValueType type, ValueType item) : type_(type) {
  data_.reserve(64);  // the pointer must not be null even without values
  if (HasOffsets(type)) offsets_.push_back(0);
  if (type == ValueType::kList) items_ = std::make_unique<ArrowColumn>(item);
}

void ArrowColumn::AddValid(bool valid) {
  if (size_ % 8 == 0) valid_.push_back(0);
  valid_.back() = static_cast<uint8_t>(valid_.back() | (valid ? 1U : 0U) << (size_ % 8));
  nulls_ += valid ? 0 : 1;
  ++size_;
}

void ArrowColumn::AddNull() {
  AddValid(false);
  data_.resize(data_.size() + WidthOf(type_));
  if (HasOffsets(type_)) offsets_.push_back(offsets_.back());
}

void ArrowColumn::AddReal(double value) {
  if (type_ == ValueType::kFloat32) return AddFixed(static_cast<float>(value));
  AddFixed(value);
}

void ArrowColumn::AddBytes(ByteView value) {
  AddValid(true);
  data_.insert(data_.end(), value.begin(), value.end());
  offsets_.push_back(static_cast<int64_t>(data_.size()));
}

void ArrowColumn::EndList(bool present) {
  AddValid(present);
  offsets_.push_back(items_->size());
}

// Changes the type, and converts the values.
bool ArrowColumn::Become(ValueType type) {
  if (type == type_) return true;
  if (type_ == ValueType::kNull) {
    data_.assign(static_cast<size_t>(size_) * WidthOf(type), 0);
    if (HasOffsets(type)) offsets_.assign(static_cast<size_t>(size_) + 1, 0);
  } else if (type_ == ValueType::kInt64 && type == ValueType::kFloat64) {
    for (size_t at = 0; at < data_.size(); at += 8) {
      if (!FitsDouble(static_cast<int64_t>(LoadLe64(data_.data() + at)))) return false;
    }
    for (size_t at = 0; at < data_.size(); at += 8) {
      const auto real = static_cast<double>(static_cast<int64_t>(LoadLe64(data_.data() + at)));
      std::memcpy(data_.data() + at, &real, sizeof real);
    }
  } else if (type_ != ValueType::kText || type != ValueType::kBinary) {
    return false;
  }
  type_ = type;
  return true;
}

bool ArrowColumn::Add(const Chunk::Value& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: AddNull(); return true;
    case ColumnValue::Type::kInteger:
      if (type_ == ValueType::kFloat64 || type_ == ValueType::kFloat32) {
        if (!FitsDouble(value.integer)) return false;
        AddReal(static_cast<double>(value.integer));
        return true;
      }
      if (!Become(ValueType::kInt64)) return false;
      AddInteger(value.integer);
      return true;
    case ColumnValue::Type::kReal:
      if (type_ != ValueType::kFloat32 && !Become(ValueType::kFloat64)) return false;
      AddReal(value.real);
      return true;
    case ColumnValue::Type::kText:
      // SQL's TEXT may hold any bytes, but Arrow's strings must be UTF-8.
      if (type_ != ValueType::kBinary && !Become(IsText(value.bytes) ? ValueType::kText : ValueType::kBinary)) {
        return false;
      }
      AddBytes(value.bytes);
      return true;
    case ColumnValue::Type::kBlob:
      if (!Become(ValueType::kBinary)) return false;
      AddBytes(value.bytes);
      return true;
  }
  return false;
}

void ArrowColumn::Export(std::shared_ptr<const ArrowColumn> held, ArrowArray& out) {
  auto* const owned = new OwnedArray{.column = std::move(held), .buffers = {}, .children = {}, .pointers = {}};
  const ArrowColumn& column = *owned->column;
  out = {};
  out.length = column.size_;
  out.null_count = column.nulls_;
  out.release = &Release<ArrowArray, OwnedArray>;
  out.private_data = owned;
  out.buffers = owned->buffers.data();
  if (column.type_ == ValueType::kNull) return;
  owned->buffers[0] = column.nulls_ == 0 ? nullptr : column.valid_.data();
  out.n_buffers = 2;
  if (!HasOffsets(column.type_)) {
    owned->buffers[1] = column.data_.data();
    return;
  }
  owned->buffers[1] = column.offsets_.data();
  if (column.type_ == ValueType::kList) {
    GiveChildren(*owned, owned->children, 1, out);
    Export({owned->column, column.items_.get()}, owned->children[0]);
    return;
  }
  owned->buffers[2] = column.data_.data();
  out.n_buffers = 3;
}

void ExportSchema(const std::vector<ArrowField>& fields, ArrowSchema& out) {
  auto* const owned = new OwnedSchema;
  out = {};
  out.format = "+s";
  out.name = "";
  GiveChildren(*owned, owned->children, fields.size(), out);
  for (size_t i = 0; i < fields.size(); ++i) ExportField(fields[i], owned->children[i]);
  out.release = &Release<ArrowSchema, OwnedSchema>;
  out.private_data = owned;
}

void ExportBatch(const std::shared_ptr<const std::vector<ArrowColumn>>& columns, int64_t rows, ArrowArray& out) {
  auto* const owned = new OwnedArray;
  out = {};
  out.length = rows;
  out.n_buffers = 1;
  out.buffers = owned->buffers.data();
  GiveChildren(*owned, owned->children, columns->size(), out);
  for (size_t i = 0; i < columns->size(); ++i) ArrowColumn::Export({columns, &(*columns)[i]}, owned->children[i]);
  out.release = &Release<ArrowArray, OwnedArray>;
  out.private_data = owned;
}

}  // namespace ofindex::python
