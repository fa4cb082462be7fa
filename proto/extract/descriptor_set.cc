#include "proto/extract/descriptor_set.h"

#include "base/text.h"
#include "proto/wire/wire.h"

namespace ofindex {
namespace {

constexpr uint32_t kFile = 1;           // FileDescriptorSet.file
constexpr uint32_t kFilePackage = 2;    // FileDescriptorProto.package
constexpr uint32_t kFileMessage = 4;    // FileDescriptorProto.message_type
constexpr uint32_t kMessageName = 1;    // DescriptorProto.name
constexpr uint32_t kMessageField = 2;   // DescriptorProto.field
constexpr uint32_t kMessageNested = 3;  // DescriptorProto.nested_type
constexpr uint32_t kFieldName = 1;      // FieldDescriptorProto.name
constexpr uint32_t kFieldNumber = 3;    // FieldDescriptorProto.number
constexpr uint32_t kFieldLabel = 4;     // FieldDescriptorProto.label
constexpr uint32_t kFieldType = 5;      // FieldDescriptorProto.type
constexpr uint32_t kFieldTypeName = 6;  // FieldDescriptorProto.type_name
constexpr uint64_t kRepeated = 3;       // FieldDescriptorProto.LABEL_REPEATED

/// Calls `visit(content)` for each field `number` of `message` that holds bytes, until `visit` returns true. Returns
/// false if `message` is malformed.
template <typename Visit>
bool ForEach(ByteView message, uint32_t number, Visit visit) {
  Malformed malformed;
  WireReader reader(message, &malformed);
  WireField field;
  while (reader.Next(&field)) {
    if (field.number == number && field.type == WireType::kBytes && visit(field.bytes)) return true;
  }
  return reader.ok();
}

/// Returns field `number` of `message`, a string; the last value counts.
std::string_view TextOf(ByteView message, uint32_t number) {
  std::string_view text;
  ForEach(message, number, [&](ByteView content) {
    text = AsText(content);
    return false;
  });
  return text;
}

/// Returns the message named `name` among fields `number` of `outer`.
std::optional<ByteView> Named(ByteView outer, uint32_t number, std::string_view name) {
  std::optional<ByteView> found;
  ForEach(outer, number, [&](ByteView message) {
    if (TextOf(message, kMessageName) != name) return false;
    found = message;
    return true;
  });
  return found;
}

/// Returns the message of `file` at `path` ("Outer.Inner").
std::optional<ByteView> Descend(ByteView file, std::string_view path) {
  std::optional<ByteView> message = file;
  for (uint32_t number = kFileMessage; message && !path.empty(); number = kMessageNested) {
    const size_t dot = path.find('.');
    message = Named(*message, number, path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return message;
}

/// Returns the rest of `name` after the package of `file`; empty if the package differs.
std::string_view WithoutPackage(ByteView file, std::string_view name) {
  const std::string_view package = TextOf(file, kFilePackage);
  if (package.empty()) return name;
  if (!name.starts_with(package) || name.size() <= package.size() || name[package.size()] != '.') return {};
  return name.substr(package.size() + 1);
}

std::optional<DeclaredField> ReadField(ByteView declaration) {
  Malformed malformed;
  WireReader reader(declaration, &malformed);
  DeclaredField declared;
  WireField field;
  while (reader.Next(&field)) {
    if (field.type == WireType::kBytes) {
      if (field.number == kFieldName) declared.name = AsText(field.bytes);
      if (field.number == kFieldTypeName) declared.type_name = AsText(field.bytes);
    } else if (field.type == WireType::kVarint) {
      if (field.number == kFieldNumber) declared.number = static_cast<uint32_t>(field.value);
      if (field.number == kFieldLabel) declared.repeated = field.value == kRepeated;
      if (field.number == kFieldType) declared.type = field.value;
    }
  }
  const bool is_number = declared.number > 0 && declared.number < 1U << 29;
  return reader.ok() && is_number ? std::optional(declared) : std::nullopt;
}

}  // namespace

Result<DescriptorSet> DescriptorSet::Open(ByteView bytes) {
  bool has_message = false;
  bool sound = true;
  const auto look_into = [&](ByteView file) {
    sound = sound && ForEach(file, kFileMessage, [&](ByteView message) {
              has_message = has_message || !TextOf(message, kMessageName).empty();
              return false;
            });
    return false;
  };
  if (bytes.size() <= kMaxMessageBytes && ForEach(bytes, kFile, look_into) && sound && has_message) {
    return DescriptorSet(bytes);
  }
  return Fail(ErrorCode::kFormat, "descriptors@0: not a FileDescriptorSet that declares a message",
              "make one with `protoc --include_imports --descriptor_set_out=FILE.pb NAME.proto`");
}

std::optional<ByteView> DescriptorSet::Find(std::string_view name) const {
  std::optional<ByteView> found;
  ForEach(bytes_, kFile, [&](ByteView file) {
    const std::string_view path = WithoutPackage(file, name);
    if (!path.empty()) found = Descend(file, path);
    return found.has_value();
  });
  return found;
}

std::vector<DeclaredField> DescriptorSet::Fields(ByteView message) {
  std::vector<DeclaredField> fields;
  ForEach(message, kMessageField, [&](ByteView declaration) {
    if (const std::optional<DeclaredField> field = ReadField(declaration)) fields.push_back(*field);
    return false;
  });
  return fields;
}

std::vector<std::string> DescriptorSet::Names(size_t limit) const {
  std::vector<std::string> names;
  ForEach(bytes_, kFile, [&](ByteView file) {
    const std::string_view package = TextOf(file, kFilePackage);
    ForEach(file, kFileMessage, [&](ByteView message) {
      names.push_back(StrCat(package, package.empty() ? "" : ".", TextOf(message, kMessageName)));
      return names.size() == limit;
    });
    return names.size() == limit;
  });
  return names;
}

}  // namespace ofindex
