#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/features.h"

namespace ofindex {

/// The columns to extract from a payload: the feature that each column belongs to, and its path of fields. For Example,
/// SequenceExample and OFRecord the plan is built in, and finds features by name as they occur; for other messages, it
/// has a path for each column. A value type.
class FieldPlan {
 public:
  /// The encoding of the scalar at the end of a path. An enum is an int32; kUint64 keeps its bits, as an int64.
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
    bool group = false;  ///< delimited by two tags, as proto2 encodes groups

    friend bool operator==(const Field&, const Field&) = default;
  };

  /// One leaf: the fields from the outermost message to it.
  struct Path {
    std::string name;  ///< "b.c"
    std::vector<Field> fields;
    Scalar scalar = Scalar::kInt64;
  };

  /// Returns the plan of a built-in kind; for kOpaque, a plan that finds nothing and accepts everything.
  [[nodiscard]] static FieldPlan Of(PayloadKind kind);

  /// Returns the plan of message `message` ("pkg.Name") of `descriptors`, a FileDescriptorSet as written by protoc, for
  /// the columns `columns` ("a", "b.c"; duplicates count once). The values of a repeated field, or of a field inside
  /// repeated messages, form a list in wire order.
  /// Errors: kUsage if there is no such message or field, or if the path of a column ends at a message (the error lists
  /// the existing names); kFormat if `descriptors` is not a FileDescriptorSet.
  [[nodiscard]] static Result<FieldPlan> OfMessage(ByteView descriptors, const std::string& message,
                                                   const std::vector<std::string>& columns);

  [[nodiscard]] PayloadKind kind() const { return kind_; }
  [[nodiscard]] const std::vector<Path>& paths() const { return paths_; }

 private:
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<Path> paths_;
};

}  // namespace ofindex
