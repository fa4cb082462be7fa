#include "query/decoding/feature_spec.h"

#include <array>

namespace ofindex {
namespace {

struct TypeRow {
  std::string_view name;
  size_t item_bytes;
};

// By DataType.
constexpr std::array<TypeRow, 14> kTypes = {{{"bool", 1},
                                             {"int8", 1},
                                             {"int16", 2},
                                             {"int32", 4},
                                             {"int64", 8},
                                             {"uint8", 1},
                                             {"uint16", 2},
                                             {"uint32", 4},
                                             {"uint64", 8},
                                             {"float16", 2},
                                             {"bfloat16", 2},
                                             {"float32", 4},
                                             {"float64", 8},
                                             {"bytes", 0}}};

}  // namespace

size_t ItemBytes(DataType type) { return kTypes[static_cast<size_t>(type)].item_bytes; }

std::string_view Name(DataType type) { return kTypes[static_cast<size_t>(type)].name; }

std::optional<DataType> ParseDataType(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<DataType>(i);
  }
  return std::nullopt;
}

}  // namespace ofindex
