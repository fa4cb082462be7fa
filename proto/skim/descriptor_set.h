#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// What a message's declaration says of one of its fields. Views the descriptors.
struct DeclaredField {
  std::string_view name = {};
  uint32_t number = 0;
  uint64_t type = 0;  ///< as FieldDescriptorProto.Type numbers them
  bool repeated = false;
  std::string_view type_name = {};  ///< of a message, a group or an enum: ".pkg.Name"
};

/// A FileDescriptorSet, as `protoc --descriptor_set_out` writes it, read with the wire reader: messages are looked up
/// where they stand, so that there is nothing to be built of hostile bytes. A small value; views the bytes that it
/// reads. Field numbers are those of google/protobuf/descriptor.proto.
class DescriptorSet {
 public:
  /// Errors: kFormat  `bytes` is no FileDescriptorSet, or one without messages
  [[nodiscard]] static Result<DescriptorSet> Open(ByteView bytes);

  /// The declaration of message `name` ("pkg.Outer.Inner"); nothing if there is none.
  [[nodiscard]] std::optional<ByteView> Find(std::string_view name) const;

  /// The fields that `message`, one that Find() gave, declares. Those whose declaration is malformed are left out.
  [[nodiscard]] static std::vector<DeclaredField> Fields(ByteView message);

  /// Names of the messages that files declare at their outermost level, at most `most`.
  [[nodiscard]] std::vector<std::string> Names(size_t most) const;

 private:
  explicit DescriptorSet(ByteView bytes) : bytes_(bytes) {}

  ByteView bytes_;
};

}  // namespace ofindex
