#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// The declaration of one field of a message. Views the descriptors.
struct DeclaredField {
  std::string_view name = {};
  uint32_t number = 0;
  uint64_t type = 0;  ///< numbered as in FieldDescriptorProto.Type
  bool repeated = false;
  std::string_view type_name = {};  ///< for a message, a group or an enum: ".pkg.Name"
};

/// A FileDescriptorSet, as written by `protoc --descriptor_set_out`, read with the wire reader: messages are looked up
/// in place, so no objects are built from untrusted bytes. Cheap to copy; views the bytes that it reads. Field numbers
/// are those of google/protobuf/descriptor.proto.
class DescriptorSet {
 public:
  /// Opens `bytes`. Errors: kFormat if `bytes` is not a FileDescriptorSet, or declares no message.
  [[nodiscard]] static Result<DescriptorSet> Open(ByteView bytes);

  /// Returns the declaration of message `name` ("pkg.Outer.Inner"); nullopt if there is none.
  [[nodiscard]] std::optional<ByteView> Find(std::string_view name) const;

  /// Returns the fields that `message`, a result of Find(), declares. Skips fields whose declaration is malformed.
  [[nodiscard]] static std::vector<DeclaredField> Fields(ByteView message);

  /// Returns the names of top-level messages, at most `limit`.
  [[nodiscard]] std::vector<std::string> Names(size_t limit) const;

 private:
  explicit DescriptorSet(ByteView bytes) : bytes_(bytes) {}

  ByteView bytes_;
};

}  // namespace ofindex
