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

/// Builds payloads from rows by a schema: visits a row, then returns its payload. All values under one name make one
/// feature; a null is an absent feature. Not thread-safe.
class RowBuilder : public RowVisitor {
 public:
  RowBuilder(PackSchema schema, PayloadKind payload, TimeUnit unit);

  /// Begins the next row.
  void Clear();

  /// Errors: kFeature if the schema does not have the name, or the row has it twice.
  [[nodiscard]] Result<void> List(std::string_view name, int depth) override;

  /// Errors: kFeature if the schema does not have the name, the value does not have its type, a list contains a null,
  /// or the row has a name twice.
  [[nodiscard]] Result<void> Value(std::string_view name, const SourceValue& value, int depth) override;

  /// Returns the payload of the row, valid until Clear. The bytes to which the row's values refer must still be valid.
  /// Errors: those of PayloadBuilder.
  [[nodiscard]] Result<ByteView> Finish();

 private:
  struct Slot {
    std::optional<SourceType> type;
    size_t number = 0;
    bool steps = false;
    bool there = false;                     // the row has it, possibly as an empty list
    FeatureKind kind = FeatureKind::kNone;  // of the values; with kChoice it changes from row to row
    FeatureLists values;
    std::vector<size_t> step_begins;
    std::string* byte_array = nullptr;  // collects the bytes of the current list

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
  std::set<std::string, std::less<>> outer_;  // names of records and maps, which may themselves be null or empty lists
  std::vector<size_t> touched_;               // slots that the row has, in the order of its values
  std::vector<size_t> touched_before_;        // touched_ of an earlier row
  std::vector<size_t> by_name_;               // touched_before_, sorted by name
  std::deque<std::string> texts_;             // this row's numbers as text
  std::vector<FeatureData> steps_;
  PayloadBuilder builder_;
};

}  // namespace ofindex
