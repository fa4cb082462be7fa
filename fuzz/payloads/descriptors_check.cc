#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/payloads/payload_checks.h"
#include "proto/extract/descriptor_set.h"
#include "proto/extract/field_plan.h"

namespace ofindex {
namespace {

constexpr size_t kMostNames = 16;

bool LiesIn(std::string_view part, ByteView whole) {
  return part.empty() ||
         (AsBytes(part).data() >= whole.data() && AsBytes(part).data() + part.size() <= whole.data() + whole.size());
}

// Plans the column `path` of a message. A plan ends at a scalar, and its fields are numbered as declared.
void CheckPlan(ByteView descriptors, const std::string& message, const std::string& path) {
  const Result<FieldPlan> plan = FieldPlan::OfMessage(descriptors, message, {path});
  if (!IsThere(plan)) return;
  Expect(plan->paths().size() == 1 && plan->paths()[0].name == path, "a plan for another column");
  Expect(!plan->paths()[0].fields.empty(), "a path without a field");
}

}  // namespace

void CheckDescriptors(ByteView bytes) {
  const std::vector<uint8_t> descriptors(bytes.begin(), bytes.end());
  const Result<DescriptorSet> set = DescriptorSet::Open(descriptors);
  if (!IsThere(set)) return;
  const std::vector<std::string> names = set->Names(kMostNames);
  Expect(names.size() <= kMostNames, "more names than were asked for");
  for (const std::string& name : names) {
    const std::optional<ByteView> message = set->Find(name);
    if (!message) continue;  // a name with a dot, say
    Expect(LiesIn(AsText(*message), descriptors), "a message outside the descriptors");
    std::vector<DeclaredField> fields = DescriptorSet::Fields(*message);
    if (fields.size() > kMostNames) fields.resize(kMostNames);
    for (const DeclaredField& field : fields) {
      Expect(LiesIn(field.name, descriptors) && LiesIn(field.type_name, descriptors), "a field outside its message");
      CheckPlan(descriptors, name, std::string(field.name));
      CheckPlan(descriptors, name, StrCat(field.name, ".", field.name));
    }
    CheckPlan(descriptors, name, "");
  }
}

}  // namespace ofindex
