#include "proto/extract/field_plan.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "proto/extract/descriptor_set.h"

namespace ofindex {
namespace {

constexpr size_t kMaxNamesShown = 30;

// The values of FieldDescriptorProto.Type (google/protobuf/descriptor.proto) that are not scalars.
constexpr uint64_t kTypeGroup = 10;
constexpr uint64_t kTypeMessage = 11;

[[nodiscard]] bool IsMessage(const DeclaredField& field) {
  return field.type == kTypeGroup || field.type == kTypeMessage;
}

/// Returns the encoding of FieldDescriptorProto.Type `type`; nullopt if it is not a scalar.
[[nodiscard]] std::optional<FieldPlan::Scalar> ScalarOf(uint64_t type) {
  switch (type) {
    case 1: return FieldPlan::Scalar::kDouble;
    case 2: return FieldPlan::Scalar::kFloat;
    case 3: return FieldPlan::Scalar::kInt64;
    case 4: return FieldPlan::Scalar::kUint64;
    case 5: return FieldPlan::Scalar::kInt32;
    case 6: return FieldPlan::Scalar::kFixed64;
    case 7: return FieldPlan::Scalar::kFixed32;
    case 8: return FieldPlan::Scalar::kBool;
    case 9: return FieldPlan::Scalar::kBytes;   // string
    case 12: return FieldPlan::Scalar::kBytes;  // bytes
    case 13: return FieldPlan::Scalar::kUint32;
    case 14: return FieldPlan::Scalar::kInt32;  // enum
    case 15: return FieldPlan::Scalar::kSfixed32;
    case 16: return FieldPlan::Scalar::kFixed64;  // sfixed64
    case 17: return FieldPlan::Scalar::kSint32;
    case 18: return FieldPlan::Scalar::kSint64;
    default: return std::nullopt;
  }
}

/// Returns the first of `names`, separated by commas.
[[nodiscard]] std::string Shown(const std::vector<std::string>& names) {
  std::string shown;
  for (size_t i = 0; i < std::min(names.size(), kMaxNamesShown); ++i) {
    shown += StrCat(i == 0 ? "" : ", ", Printable(names[i]));
  }
  return names.size() > kMaxNamesShown ? StrCat(shown, ", ...") : shown;
}

[[nodiscard]] std::string ShownFields(const std::vector<DeclaredField>& fields) {
  std::vector<std::string> names;
  for (const DeclaredField& field : fields) names.emplace_back(field.name);
  return Shown(names);
}

[[nodiscard]] Result<ByteView> FindMessage(const DescriptorSet& descriptors, std::string_view name) {
  if (const std::optional<ByteView> message = descriptors.Find(name)) return *message;
  return Fail(ErrorCode::kUsage,
              StrCat("the descriptors have no message ", Printable(name), "; top-level messages are ",
                     Shown(descriptors.Names(kMaxNamesShown + 1))),
              "messages of imported files need `protoc --include_imports`");
}

[[nodiscard]] Result<DeclaredField> FindField(ByteView message, std::string_view name, const std::string& column) {
  const std::vector<DeclaredField> fields = DescriptorSet::Fields(message);
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const DeclaredField& field) { return field.name == name; });
  if (found != fields.end()) return *found;
  return Fail(ErrorCode::kUsage, StrCat("column ", Printable(column), ": no field ", Printable(name),
                                        "; expected one of ", ShownFields(fields)));
}

/// Returns the path of `column`, starting at `message`.
[[nodiscard]] Result<FieldPlan::Path> Compile(const DescriptorSet& descriptors, ByteView message,
                                              const std::string& column) {
  FieldPlan::Path path{.name = column, .fields = {}};
  std::string_view rest = column;
  while (true) {
    const size_t dot = rest.find('.');
    OFINDEX_ASSIGN(const DeclaredField field, FindField(message, rest.substr(0, dot), column));
    path.fields.push_back({field.number, field.repeated, field.type == kTypeGroup});
    if (!IsMessage(field)) {
      const std::optional<FieldPlan::Scalar> scalar = ScalarOf(field.type);
      if (!scalar || dot != std::string_view::npos) {
        return Fail(ErrorCode::kUsage, StrCat("column ", Printable(column), ": ", Printable(field.name),
                                              scalar ? " is not a message; expected no field after it"
                                                     : " is of an unknown type; expected a type of proto2 or proto3"));
      }
      path.scalar = *scalar;
      return path;
    }
    OFINDEX_ASSIGN(message, FindMessage(descriptors, field.type_name.substr(field.type_name.starts_with('.') ? 1 : 0)));
    if (dot == std::string_view::npos) {
      return Fail(ErrorCode::kUsage, StrCat("column ", Printable(column), " is a message; expected one of its fields: ",
                                            ShownFields(DescriptorSet::Fields(message))));
    }
    rest = rest.substr(dot + 1);
  }
}

}  // namespace

FieldPlan FieldPlan::Of(PayloadKind kind) {
  FieldPlan plan;
  plan.kind_ = kind;
  return plan;
}

Result<FieldPlan> FieldPlan::OfMessage(ByteView descriptors, const std::string& message,
                                       const std::vector<std::string>& columns) {
  OFINDEX_ASSIGN(const DescriptorSet set, DescriptorSet::Open(descriptors));
  OFINDEX_ASSIGN(const ByteView outermost, FindMessage(set, message));
  FieldPlan plan;
  for (const std::string& column : columns) {
    const auto is_column = [&](const Path& path) { return path.name == column; };
    if (std::any_of(plan.paths_.begin(), plan.paths_.end(), is_column)) continue;
    OFINDEX_ASSIGN(Path path, Compile(set, outermost, column));
    plan.paths_.push_back(std::move(path));
  }
  return plan;
}

}  // namespace ofindex
