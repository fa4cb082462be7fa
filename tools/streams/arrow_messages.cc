#include "tools/streams/arrow_messages.h"

#include "base/bytes.h"
#include "tools/streams/flat_buffer.h"

namespace ofindex {
namespace {

using Place = FlatBuffer::Place;

// Numbers of fields and of enums are those of Schema.fbs, Message.fbs and File.fbs in Apache Arrow's folder format/,
// whose tables are named in the comments.
constexpr int16_t kVersionV5 = 4;          // MetadataVersion
constexpr uint8_t kSchemaHeader = 1;       // MessageHeader
constexpr uint8_t kBatchHeader = 3;        // MessageHeader
constexpr uint8_t kIntType = 2;            // Type
constexpr uint8_t kFloatingPointType = 3;  // Type
constexpr uint8_t kBinaryType = 4;         // Type
constexpr uint8_t kTextType = 5;           // Type
constexpr uint8_t kListType = 12;          // Type
constexpr int16_t kSinglePrecision = 1;    // Precision
constexpr int16_t kDoublePrecision = 2;    // Precision

constexpr uint32_t kContinuation = 0xffffffff;

uint8_t TypeNumber(const IpcField& field) {
  if (field.lists > 0) return kListType;
  switch (field.type) {
    case IpcType::kInt32:
    case IpcType::kInt64: return kIntType;
    case IpcType::kFloat32:
    case IpcType::kFloat64: return kFloatingPointType;
    case IpcType::kBinary: return kBinaryType;
    case IpcType::kText: return kTextType;
  }
  return kBinaryType;
}

// Int: bitWidth, is_signed. FloatingPoint: precision. The tables of the other types have no fields.
Place AddType(const IpcField& field, FlatBuffer& buffer) {
  const uint8_t number = TypeNumber(field);
  if (number == kIntType) {
    return buffer.AddTable({{0, field.type == IpcType::kInt32 ? int32_t{32} : int32_t{64}}, {1, uint8_t{1}}});
  }
  if (number == kFloatingPointType) {
    return buffer.AddTable({{0, field.type == IpcType::kFloat32 ? kSinglePrecision : kDoublePrecision}});
  }
  return buffer.AddTable({});
}

// Field: name, nullable, type_type, type, dictionary, children.
Place AddField(const IpcField& field, FlatBuffer& buffer) {
  std::vector<Place> children;
  if (field.lists > 0) {
    children.push_back(
        AddField({.name = "item", .type = field.type, .lists = field.lists - 1, .nullable = field.lists > 1}, buffer));
  }
  const Place items = buffer.AddReferences(children);
  const Place type = AddType(field, buffer);
  const Place name = buffer.AddText(field.name);
  return buffer.AddTable({{0, name}, {1, uint8_t{field.nullable}}, {2, TypeNumber(field)}, {3, type}, {5, items}});
}

// Schema: endianness (0 is little), fields.
Place AddSchema(std::span<const IpcField> fields, FlatBuffer& buffer) {
  std::vector<Place> places;
  for (const IpcField& field : fields) places.push_back(AddField(field, buffer));
  const Place all = buffer.AddReferences(places);
  return buffer.AddTable({{0, int16_t{0}}, {1, all}});
}

void AppendLe32(uint32_t number, std::vector<uint8_t>& bytes) {
  bytes.resize(bytes.size() + sizeof number);
  StoreLe32(bytes.data() + bytes.size() - sizeof number, number);
}

// Message: version, header_type, header, bodyLength. A message is prefixed with a marker and its size.
std::vector<uint8_t> Enclosed(FlatBuffer buffer, uint8_t header_type, Place header, uint64_t body_bytes) {
  const std::vector<uint8_t> message = buffer.Finish(
      buffer.AddTable({{0, kVersionV5}, {1, header_type}, {2, header}, {3, static_cast<int64_t>(body_bytes)}}));
  std::vector<uint8_t> bytes;
  AppendLe32(kContinuation, bytes);
  AppendLe32(static_cast<uint32_t>(message.size()), bytes);
  bytes.insert(bytes.end(), message.begin(), message.end());
  return bytes;
}

}  // namespace

std::vector<uint8_t> ArrowSchemaMessage(std::span<const IpcField> fields) {
  FlatBuffer buffer;
  const Place schema = AddSchema(fields, buffer);
  return Enclosed(std::move(buffer), kSchemaHeader, schema, 0);
}

// RecordBatch: length, nodes, buffers.
std::vector<uint8_t> ArrowBatchMessage(uint64_t records, std::span<const IpcNode> nodes,
                                       std::span<const IpcBuffer> buffers, uint64_t body_bytes) {
  FlatBuffer buffer;
  const Place all_nodes = buffer.AddStructs(nodes);
  const Place all_buffers = buffer.AddStructs(buffers);
  const Place batch = buffer.AddTable({{0, static_cast<int64_t>(records)}, {1, all_nodes}, {2, all_buffers}});
  return Enclosed(std::move(buffer), kBatchHeader, batch, body_bytes);
}

std::vector<uint8_t> ArrowEnd() {
  std::vector<uint8_t> bytes;
  AppendLe32(kContinuation, bytes);
  AppendLe32(0, bytes);
  return bytes;
}

// Footer: version, schema, dictionaries, recordBatches. Its size and the magic follow it.
std::vector<uint8_t> ArrowFooter(std::span<const IpcField> fields, std::span<const IpcBlock> batches) {
  FlatBuffer buffer;
  const Place schema = AddSchema(fields, buffer);
  const Place blocks = buffer.AddStructs(batches);
  std::vector<uint8_t> bytes = buffer.Finish(buffer.AddTable({{0, kVersionV5}, {1, schema}, {3, blocks}}));
  AppendLe32(static_cast<uint32_t>(bytes.size()), bytes);
  bytes.insert(bytes.end(), kArrowMagic.begin(), kArrowMagic.end());
  return bytes;
}

}  // namespace ofindex
