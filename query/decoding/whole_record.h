#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "proto/features.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_column.h"

namespace ofindex {

/// Decodes any record into columns, as libprotobuf reads it. Implements all rules, and reports what is wrong.
class WholeRecord {
 public:
  /// Puts the features of `payload`, number `record` of the request, into `columns`, one for each spec.
  ///
  /// Errors: kFeature if a feature is not as requested, or the payload is opaque; kLimit if there is no memory; those
  /// of DecodedRecord::Decode.
  [[nodiscard]] Result<void> Decode(ByteView payload, PayloadKind kind, uint64_t record,
                                    std::vector<FeatureColumn>& columns);

 private:
  // The state of a feature in the record.
  enum class Presence { kAbsent, kNoKind, kMixed, kThere };

  [[nodiscard]] Result<void> Put(FeatureColumn& column, uint64_t record);
  [[nodiscard]] Presence Find(const FeatureSpec& spec, FeatureValues& values);
  [[nodiscard]] const FeatureList* FindList(const std::string& name) const;
  [[nodiscard]] FeatureValues ValuesOf(FeatureValue value) const;
  [[nodiscard]] Presence JoinSteps(const FeatureList& list, const FeatureSpec& spec, FeatureValues& values);

  DecodedRecord record_;
  // Values of all steps of a feature list.
  std::vector<uint8_t> numbers_;
  std::vector<ByteView> strings_;
};

}  // namespace ofindex
