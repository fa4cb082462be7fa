#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "proto/feature_data.h"
#include "tools/show/shown_record.h"
#include "tools/streams/arrow_messages.h"
#include "tools/streams/record_columns.h"

namespace ofindex {

/// The buffers of one Arrow array: a list, or values.
struct IpcArray {
  uint64_t length = 0;
  uint64_t nulls = 0;
  std::vector<uint8_t> valid;    ///< one bit for each item
  std::vector<int32_t> offsets;  ///< of lists and byte strings: where each ends, after a 0
  std::vector<uint8_t> values;   ///< empty for a list

  void Add(bool is_valid);
};

/// One feature of the records of a batch. Not thread-safe.
class IpcColumn {
 public:
  /// A list unless no record has more than one value; text only if the index says that all values are. Errors: kUsage
  /// if the index does not know the kinds of the feature, or if they have no common type.
  [[nodiscard]] static Result<IpcColumn> Of(const RecordColumn& column);

  [[nodiscard]] const IpcField& field() const { return field_; }

  /// The arrays, the outermost first.
  [[nodiscard]] const std::vector<IpcArray>& arrays() const { return arrays_; }

  /// Returns the bytes of all values and offsets.
  [[nodiscard]] uint64_t bytes() const;

  /// Checks that Append can take the feature of `record`. Errors: kIndex if it is not as the index says.
  [[nodiscard]] Result<void> Check(const ShownRecord& record) const;

  /// Appends the feature of a record: null if it is absent.
  void Append(const ShownRecord& record);

  /// Does the same for the only record of a batch, which may be large, without memory for more than its values.
  void AppendAlone(const ShownRecord& record);

  /// Begins a new batch.
  void Clear();

  /// Begins a new batch, and frees the memory of this one.
  void Free();

 private:
  IpcColumn(std::string feature, uint8_t kinds, IpcField field);

  [[nodiscard]] bool Takes(const DecodedRecord& decoded, FeatureValue value) const;
  void AppendList(const DecodedRecord& decoded, FeatureValue value, IpcArray& list);
  void AppendValues(const DecodedRecord& decoded, FeatureValue value);
  void AppendSlice(const FeatureData& slice);
  void Reserve(const DecodedRecord& decoded, std::span<const FeatureValue> values);
  template <typename To, typename From>
  void AppendNumbers(From values);

  std::string feature_;
  uint8_t kinds_;
  IpcField field_;
  std::vector<IpcArray> arrays_;
};

}  // namespace ofindex
