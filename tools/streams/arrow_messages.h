#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

// The metadata of Arrow's IPC formats, a stream or a file: the messages of the Apache Arrow columnar format, version
// V5.

enum class IpcType { kInt32, kInt64, kFloat32, kFloat64, kBinary, kText };

/// A column: its values are of `type`, in lists within lists, as many as `lists`.
struct IpcField {
  std::string name;  ///< UTF-8
  IpcType type = IpcType::kInt64;
  int lists = 0;
  bool nullable = true;
};

/// The structs `FieldNode`, `Buffer` and `Block` of the format.
struct IpcNode {
  int64_t length = 0;
  int64_t nulls = 0;
};
struct IpcBuffer {
  int64_t offset = 0;  ///< in the body
  int64_t length = 0;
};
struct IpcBlock {
  int64_t offset = 0;  ///< of the message in the file
  int32_t metadata_bytes = 0;
  int32_t padding = 0;
  int64_t body_bytes = 0;
};

/// Begins and ends a file; a stream has neither.
inline constexpr std::string_view kArrowMagic = "ARROW1";

/// Return a message with its prefix: the first of a stream, and one for each batch, which its body follows. The size is
/// a multiple of 8.
[[nodiscard]] std::vector<uint8_t> ArrowSchemaMessage(std::span<const IpcField> fields);
[[nodiscard]] std::vector<uint8_t> ArrowBatchMessage(uint64_t records, std::span<const IpcNode> nodes,
                                                     std::span<const IpcBuffer> buffers, uint64_t body_bytes);

/// Returns the end of a stream.
[[nodiscard]] std::vector<uint8_t> ArrowEnd();

/// Returns the end of a file, which follows the end of its stream.
[[nodiscard]] std::vector<uint8_t> ArrowFooter(std::span<const IpcField> fields, std::span<const IpcBlock> batches);

}  // namespace ofindex
