#include "proto/feature_slices.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "proto/message_fields.h"

namespace ofindex {
namespace {

/// Moves at most `most` values of a fixed size from the front of `packed` to the end of `values`.
template <typename T>
void TakeFixed(ByteView* packed, size_t most, std::vector<T>* values) {
  const size_t old_size = values->size();
  const size_t count = std::min(most, packed->size() / sizeof(T));
  if (count == 0) return;
  values->resize(old_size + count);
  std::memcpy(values->data() + old_size, packed->data(), count * sizeof(T));
  *packed = packed->subspan(count * sizeof(T));
}

}  // namespace

bool FeatureSlices::Next(FeatureData* slice) {
  if (left_ == 0) return false;
  if (!outlined_) {
    *slice = FeatureData::Of(record_, value_);
    left_ = 0;
    return true;
  }
  outlined_->values.Clear();
  const size_t wanted = std::min<uint64_t>(most_, left_);
  size_t count = 0;
  while (count < wanted && ReadSome(wanted - count)) count = outlined_->values.count();
  left_ = count == 0 ? 0 : left_ - count;
  *slice = outlined_->values.Range(value_.kind, 0, count);
  return count != 0;
}

// Reads up to `most` values of one field, or moves on to the next list. Returns false at the end.
bool FeatureSlices::ReadSome(size_t most) {
  if (!outlined_->packed.empty()) {
    ReadPacked(most);
    return true;
  }
  WireField field;
  if (outlined_->list.Next(&field)) {
    if (field.number != kListValue) return true;
    if (field.type == ValueType(value_.kind)) {
      Append(field);
    } else if (field.type == WireType::kBytes) {
      outlined_->packed = field.bytes;
    }
    return true;
  }
  if (outlined_->next_list == record_.value_lists_.size()) return false;
  outlined_->list = WireReader(record_.value_lists_[outlined_->next_list++], &outlined_->malformed);
  return true;
}

// Moves values from the front of the packed list to the slice. A rest that is too short for a value is dropped.
void FeatureSlices::ReadPacked(size_t most) {
  const ByteView before = outlined_->packed;
  if (value_.kind == FeatureKind::kFloat) {
    TakeFixed(&outlined_->packed, most, &outlined_->values.floats);
  } else if (value_.kind == FeatureKind::kDouble) {
    TakeFixed(&outlined_->packed, most, &outlined_->values.doubles);
  } else {
    WireReader reader(outlined_->packed, &outlined_->malformed);
    uint64_t varint = 0;
    for (; most > 0 && reader.NextVarint(&varint); --most)
      outlined_->values.integers.push_back(IntegerOf(value_.kind, varint));
    outlined_->packed = reader.rest();
  }
  if (outlined_->packed.size() == before.size()) outlined_->packed = {};
}

void FeatureSlices::Append(const WireField& field) {
  switch (value_.kind) {
    case FeatureKind::kNone: return;
    case FeatureKind::kBytes: outlined_->values.bytes.push_back(field.bytes); return;
    case FeatureKind::kFloat:
      outlined_->values.floats.push_back(std::bit_cast<float>(static_cast<uint32_t>(field.value)));
      return;
    case FeatureKind::kDouble: outlined_->values.doubles.push_back(std::bit_cast<double>(field.value)); return;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: outlined_->values.integers.push_back(IntegerOf(value_.kind, field.value)); return;
  }
}

}  // namespace ofindex
