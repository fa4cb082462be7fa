#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/features.h"

namespace ofindex {

/// What to skim of a payload: wire paths, and the feature that each stands for. Example, SequenceExample and OFRecord
/// are built in, and find their features by name as they come; for another message the paths are given. A value.
class FieldPlan {
 public:
  /// How the scalar at the end of a path is written. An enum is an int32; kUint64 keeps its bits, as an int64.
  enum class Scalar : uint8_t {
    kInt64,
    kUint64,
    kInt32,
    kUint32,
    kSint32,
    kSint64,
    kBool,
    kFixed32,
    kSfixed32,
    kFixed64,
    kFloat,
    kDouble,
    kBytes,
  };

  /// One field on the way to a leaf, or the leaf itself.
  struct Field {
    uint32_t number = 0;
    bool repeated = false;
    bool group = false;  ///< a message between two tags, as proto2's groups are written

    friend bool operator==(const Field&, const Field&) = default;
  };

  /// One leaf: fields from the outermost message on.
  struct Path {
    std::string name;  ///< "b.c"
    std::vector<Field> fields;
    Scalar scalar = Scalar::kInt64;
  };

  /// The plan of a built-in kind; of kOpaque, one that finds nothing and accepts everything.
  [[nodiscard]] static FieldPlan Of(PayloadKind kind);

  /// The plan of message `message` ("pkg.Name") of `descriptors`, a FileDescriptorSet as protoc writes it, for the
  /// columns `columns` ("a", "b.c"; one that is named twice counts once). Values of repeated fields, or below repeated
  /// messages, make lists in wire order.
  /// Errors: kUsage    no such message or field; a column that ends at a message, with the names that there are
  ///         kFormat   `descriptors` is no FileDescriptorSet
  [[nodiscard]] static Result<FieldPlan> OfMessage(ByteView descriptors, const std::string& message,
                                                   const std::vector<std::string>& columns);

  [[nodiscard]] PayloadKind kind() const { return kind_; }
  [[nodiscard]] const std::vector<Path>& paths() const { return paths_; }

 private:
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<Path> paths_;
};

}  // namespace ofindex
