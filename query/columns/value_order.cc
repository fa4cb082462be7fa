#include "query/columns/value_order.h"

#include "index/chunks/zone_map.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// Returns the rank of a type among the storage classes; integers and reals have the same.
int ClassOf(Type type) {
  switch (type) {
    case Type::kNull: return 0;
    case Type::kInteger:
    case Type::kReal: return 1;
    case Type::kText: return 2;
    case Type::kBlob: return 3;
  }
  return 0;
}

int Sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

template <typename T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

int CompareValues(const Chunk::Value& a, const Chunk::Value& b) {
  const int order = Compare(ClassOf(a.type), ClassOf(b.type));
  if (order != 0 || a.type == Type::kNull) return order;
  if (!IsNumber(a.type)) return Compare(AsText(a.bytes), AsText(b.bytes));
  if (a.type == Type::kInteger) {
    return b.type == Type::kInteger ? Compare(a.integer, b.integer) : Sign(CompareNumbers(a.integer, b.real));
  }
  return b.type == Type::kReal ? Compare(a.real, b.real) : -Sign(CompareNumbers(b.integer, a.real));
}

}  // namespace ofindex
