#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "proto/encode/payload_builder.h"
#include "proto/feature_lists.h"
#include "tools/packing/calendar.h"
#include "tools/packing/feature_names.h"
#include "tools/packing/pack_schema.h"
#include "tools/packing/source_value.h"

namespace ofindex {

/// Makes payloads of rows, by a schema: a row is shown to it, then asked of it. All values of a name are one feature;
/// a null is an absent one. Not thread-safe.
class RowBuilder : public RowVisitor {
 public:
  RowBuilder(PackSchema schema, PayloadKind payload, TimeUnit unit);

  /// Begins the next row.
  void Clear();

  /// Errors: kFeature  the schema does not have the name, or a row has it twice.
  [[nodiscard]] Result<void> List(std::string_view name, int depth) override;

  /// Errors: kFeature  the schema does not have the name, or the value is none of its type; null inside a list; a row
  /// has a name twice.
  [[nodiscard]] Result<void> Value(std::string_view name, const SourceValue& value, int depth) override;

  /// The payload of the row, valid until Clear. Views of the row's values must be valid still. Errors: those of
  /// PayloadBuilder.
  [[nodiscard]] Result<ByteView> Finish();

 private:
  struct Slot {
    std::optional<SourceType> type;
    size_t number = 0;
    bool steps = false;
    bool there = false;                     // the row has it, if only as an empty list
    FeatureKind kind = FeatureKind::kNone;  // of the values; changes from row to row with kChoice
    FeatureLists values;
    std::vector<size_t> step_begins;
    std::string* byte_array = nullptr;  // the last of its bytes, while its list goes on

    void Clear();
  };

  [[nodiscard]] Result<Slot*> SlotOf(std::string_view name);
  [[nodiscard]] bool IsOuter(std::string_view name) const;
  size_t AddSlot(const PackFeature& feature);
  void Touch(Slot& slot);
  [[nodiscard]] Result<void> Put(Slot& slot, SourceType type, const SourceValue& value);
  [[nodiscard]] Result<void> PutWhole(Slot& slot, SourceType type, const SourceValue& value);
  [[nodiscard]] Result<void> PutReal(Slot& slot, const SourceValue& value);
  [[nodiscard]] Result<void> PutBytes(Slot& slot, const SourceValue& value);
  [[nodiscard]] Result<void> PutByte(Slot& slot, const SourceValue& value);
  [[nodiscard]] Result<void> AddTo(PayloadBuilder& builder, const std::string& name, const Slot& slot);

  std::vector<PackFeature> maps_;
  PayloadKind payload_;
  TimeUnit unit_;
  FeatureNames names_;
  std::deque<Slot> slots_;
  std::set<std::string, std::less<>> outer_;  // names of records and maps: no features, but null or empty lists
  std::vector<size_t> touched_;               // slots that the row has, in the order in which they came
  std::vector<size_t> touched_before_;        // those of a row before
  std::vector<size_t> by_name_;               // the same, in the order of their names
  std::deque<std::string> texts_;             // numbers as text, of this row
  std::vector<FeatureData> steps_;
  PayloadBuilder builder_;
};

}  // namespace ofindex
