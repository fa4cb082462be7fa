#include "proto/encode/payload_builder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

#include "base/text.h"
#include "proto/message_fields.h"
#include "proto/wire/varint.h"
#include "proto/wire/wire.h"

namespace ofindex {
namespace {

// Room for a one-byte tag and a length of at most five bytes, which precede the entries of a map inside a message.
constexpr size_t kHeadroom = 6;

// Sizes in bytes of a field with `content` bytes, and of its tag and length. All field numbers here are below 16.
constexpr uint64_t PrefixBytes(uint64_t content) { return 1 + VarintBytes(content); }
constexpr uint64_t FieldBytes(uint64_t content) { return PrefixBytes(content) + content; }

uint8_t* WritePrefix(uint32_t number, uint64_t content, uint8_t* out) {
  *out++ = static_cast<uint8_t>(number << 3 | static_cast<uint8_t>(WireType::kBytes));
  return WriteVarint(content, out);
}

uint8_t* WriteBytes(ByteView bytes, uint8_t* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

uint64_t PackedBytes(const FeatureData& values) {
  switch (values.kind()) {
    case FeatureKind::kFloat: return values.floats().size_bytes();
    case FeatureKind::kDouble: return values.doubles().size_bytes();
    default: break;
  }
  uint64_t size = 0;
  for (const int64_t value : values.integers()) size += VarintBytes(static_cast<uint64_t>(value));
  return size;
}

// The sizes of an encoded feature: [feature [list [packed values]]], each preceded by its length.
struct FeatureSizes {
  uint64_t packed = 0;   // for numbers: total bytes of the packed values
  uint64_t list = 0;     // of the BytesList, FloatList, ...
  uint64_t feature = 0;  // of the Feature
};

FeatureSizes SizesOf(const FeatureData& values) {
  FeatureSizes sizes;
  if (values.kind() == FeatureKind::kNone) return sizes;
  if (values.kind() == FeatureKind::kBytes) {
    for (const ByteView bytes : values.bytes()) sizes.list += FieldBytes(bytes.size());
  } else if (values.count() != 0) {
    sizes.packed = PackedBytes(values);
    sizes.list = FieldBytes(sizes.packed);
  }
  sizes.feature = FieldBytes(sizes.list);
  return sizes;
}

uint8_t* WriteFeature(PayloadKind payload, const FeatureData& values, const FeatureSizes& sizes, uint8_t* out) {
  if (values.kind() == FeatureKind::kNone) return out;
  out = WritePrefix(FieldOfKind(payload, values.kind()), sizes.list, out);
  if (values.kind() == FeatureKind::kBytes) {
    for (const ByteView bytes : values.bytes()) out = WriteBytes(bytes, WritePrefix(kListValue, bytes.size(), out));
    return out;
  }
  if (values.count() == 0) return out;
  out = WritePrefix(kListValue, sizes.packed, out);
  switch (values.kind()) {
    case FeatureKind::kFloat:
      return WriteBytes(
          ByteView(reinterpret_cast<const uint8_t*>(values.floats().data()), values.floats().size_bytes()), out);
    case FeatureKind::kDouble:
      return WriteBytes(
          ByteView(reinterpret_cast<const uint8_t*>(values.doubles().data()), values.doubles().size_bytes()), out);
    default: break;
  }
  // A negative int32 is encoded as a 64-bit number, in ten bytes, as protobuf does.
  for (const int64_t value : values.integers()) out = WriteVarint(static_cast<uint64_t>(value), out);
  return out;
}

bool NamePrecedes(ByteView a, ByteView b) { return AsText(a) < AsText(b); }

std::string_view MessageName(PayloadKind kind) {
  switch (kind) {
    case PayloadKind::kExample: return "tensorflow.Example";
    case PayloadKind::kSequenceExample: return "tensorflow.SequenceExample";
    default: return "oneflow.OFRecord";
  }
}

}  // namespace

PayloadBuilder::PayloadBuilder(PayloadKind kind, EntryOrder order) : kind_(kind), order_(order) {
  assert(kind != PayloadKind::kOpaque);
  Clear();
}

void PayloadBuilder::Clear() {
  features_.Clear();
  lists_.Clear();
}

Result<void> PayloadBuilder::Check(ByteView name, const FeatureData& values) const {
  if (values.kind() != FeatureKind::kNone && FieldOfKind(kind_, values.kind()) == 0) {
    return Fail(
        ErrorCode::kFeature,
        StrCat("feature '", Printable(AsText(name)), "': ", MessageName(kind_), " has no ", Name(values.kind())),
        "use bytes, float or int64");
  }
  if (values.kind() == FeatureKind::kInt32) {
    for (const int64_t value : values.integers()) {
      if (static_cast<int32_t>(value) == value) continue;
      return Fail(ErrorCode::kFeature,
                  StrCat("feature '", Printable(AsText(name)), "': ", value, " does not fit an int32"), "use int64");
    }
  }
  if (kind_ != PayloadKind::kOfRecord && !IsUtf8(AsText(name))) {
    return Fail(ErrorCode::kFeature,
                StrCat("the name '", Printable(AsText(name)), "' is not UTF-8; readers of ", MessageName(kind_),
                       " would refuse the record"),
                "give the feature a name in UTF-8");
  }
  return {};
}

Result<void> PayloadBuilder::Add(ByteView name, const FeatureData& values) {
  OFINDEX_TRY(Check(name, values));
  const FeatureSizes sizes = SizesOf(values);
  uint8_t* out = features_.AddEntry(name, sizes.feature);
  WriteFeature(kind_, values, sizes, out);
  return {};
}

Result<void> PayloadBuilder::AddList(ByteView name, std::span<const FeatureData> steps) {
  if (kind_ != PayloadKind::kSequenceExample) {
    return Fail(ErrorCode::kFeature,
                StrCat("feature '", Printable(AsText(name)), "': ", MessageName(kind_), " has no feature lists"),
                "a SequenceExample has");
  }
  OFINDEX_TRY(Check(name, {}));
  uint64_t size = 0;
  for (const FeatureData& step : steps) {
    OFINDEX_TRY(Check(name, step));
    size += FieldBytes(SizesOf(step).feature);
  }
  uint8_t* out = lists_.AddEntry(name, size);
  for (const FeatureData& step : steps) {
    const FeatureSizes sizes = SizesOf(step);
    out = WriteFeature(kind_, step, sizes, WritePrefix(kStep, sizes.feature, out));
  }
  return {};
}

Result<ByteView> PayloadBuilder::Finish() {
  OFINDEX_TRY(features_.Settle(order_, spare_));
  OFINDEX_TRY(lists_.Settle(order_, spare_));
  if (features_.content().size() + lists_.content().size() > kMaxMessageBytes - 2 * kHeadroom) {
    return Fail(ErrorCode::kLimit,
                StrCat("a payload of ", FormatCount(features_.content().size() + lists_.content().size()),
                       " bytes; a protobuf message has at most ", FormatCount(kMaxMessageBytes)),
                "leave features out, or store them in several records");
  }
  if (kind_ == PayloadKind::kOfRecord) return features_.content();
  if (kind_ == PayloadKind::kExample || lists_.entries.empty()) return features_.Wrap(kContext);
  if (features_.entries.empty()) return lists_.Wrap(kFeatureLists);
  const ByteView lists = lists_.Wrap(kFeatureLists);
  const size_t context_bytes = features_.Wrap(kContext).size();
  features_.bytes.resize(features_.used);
  features_.bytes.insert(features_.bytes.end(), lists.begin(), lists.end());
  return ByteView(features_.bytes).last(context_bytes + lists.size());
}

void PayloadBuilder::Map::Clear() {
  used = kHeadroom;
  if (bytes.size() < used) bytes.resize(used);
  entries.clear();
}

// Appends the tag, length and name of an entry, and room for its value. Returns the address of that room.
uint8_t* PayloadBuilder::Map::AddEntry(ByteView name, uint64_t value_bytes) {
  const uint64_t content = FieldBytes(name.size()) + FieldBytes(value_bytes);
  const size_t begin = used;
  used += FieldBytes(content);
  if (bytes.size() < used) bytes.resize(std::max<size_t>(used, 2 * bytes.size()));
  uint8_t* out = WritePrefix(kMapEntry, content, bytes.data() + begin);
  out = WritePrefix(kEntryKey, name.size(), out);
  const auto name_begin = static_cast<size_t>(out - bytes.data());
  out = WritePrefix(kEntryValue, value_bytes, WriteBytes(name, out));
  entries.push_back({begin, used, name_begin, name_begin + name.size()});
  return out;
}

ByteView PayloadBuilder::Map::NameOf(const Entry& entry) const {
  return ByteView(bytes).subspan(entry.name_begin, entry.name_end - entry.name_begin);
}

ByteView PayloadBuilder::Map::content() const { return ByteView(bytes).first(used).subspan(kHeadroom); }

bool PayloadBuilder::Map::InOrder() const {
  for (size_t i = 1; i < entries.size(); ++i) {
    if (!NamePrecedes(NameOf(entries[i - 1]), NameOf(entries[i]))) return false;
  }
  return true;
}

// Sorts the entries, and checks that all names differ. If the entries were added in sorted order, as is common, this
// takes one comparison per entry.
Result<void> PayloadBuilder::Map::Settle(EntryOrder order, std::vector<uint8_t>& spare) {
  if (InOrder()) return {};
  std::vector<Entry> sorted = entries;
  std::sort(sorted.begin(), sorted.end(),
            [this](const Entry& a, const Entry& b) { return NamePrecedes(NameOf(a), NameOf(b)); });
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (AsText(NameOf(sorted[i - 1])) != AsText(NameOf(sorted[i]))) continue;
    return Fail(ErrorCode::kFeature, StrCat("two features are called '", Printable(AsText(NameOf(sorted[i]))), "'"),
                "give one of them another name");
  }
  if (order == EntryOrder::kAsAdded) return {};
  spare.assign(kHeadroom, 0);
  for (const Entry& entry : sorted) {
    spare.insert(spare.end(), bytes.begin() + static_cast<ptrdiff_t>(entry.begin),
                 bytes.begin() + static_cast<ptrdiff_t>(entry.end));
  }
  bytes.swap(spare);
  used = bytes.size();
  return {};
}

// Puts the tag of field `field` and the length in front of the entries. Returns the tag, length and entries: one field
// of a message.
ByteView PayloadBuilder::Map::Wrap(uint32_t field) {
  const uint64_t content_bytes = content().size();
  const auto prefix_bytes = static_cast<size_t>(PrefixBytes(content_bytes));
  WritePrefix(field, content_bytes, bytes.data() + kHeadroom - prefix_bytes);
  return ByteView(bytes).first(used).subspan(kHeadroom - prefix_bytes);
}

}  // namespace ofindex
