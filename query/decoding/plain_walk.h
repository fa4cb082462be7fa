#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "proto/skim/entry_imprint.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_column.h"
#include "query/decoding/plain_list.h"

namespace ofindex {

/// Decodes records that are written as nearly all are, in one pass over their entries, straight into the columns. An
/// entry is looked for first where the record before had it.
///
/// What it does not know, and whatever is wrong with a record, it leaves to DecodedRecord. Of features that are not
/// wanted it reads the name and the length alone, and of feature lists, if none is wanted, their length: a record is
/// taken even if these are malformed. All other bytes are checked as DecodedRecord does.
class PlainWalk {
 public:
  /// `plan` has to outlive it.
  explicit PlainWalk(const DecodingPlan& plan) : plan_(plan), seen_(plan.specs().size()) {}

  /// Puts the features of `payload` into `columns`, one for each spec, as those of record `record`. False if it cannot:
  /// then the columns have to be rewound.
  [[nodiscard]] bool Decode(ByteView payload, PayloadKind kind, uint64_t record, std::vector<FeatureColumn>& columns);

  /// To be called now and then: what records look like may have changed.
  void LookAgain();

 private:
  // What stood at one place in the record before.
  struct Place {
    EntryImprint imprint = {};
    std::string name = {};
    uint32_t column = DecodingPlan::kUnwanted;
    uint32_t presses_left = kPresses;
  };

  static constexpr size_t kMostPlaces = 1024;
  static constexpr uint32_t kPresses = 8;

  [[nodiscard]] bool FindFeatures(ByteView payload, PayloadKind kind, ByteView& features) const;
  [[nodiscard]] bool DecodeFeatures(ByteView features, const PlainKinds& kinds, uint64_t record);
  [[nodiscard]] bool DecodeEntry(const uint8_t*& at, const uint8_t* end, const PlainKinds& kinds, size_t position,
                                 uint64_t record);
  [[nodiscard]] bool DecodeImprinted(uint32_t column, const PlainEntry& entry, uint64_t record);
  [[nodiscard]] bool Put(uint32_t column, const FeatureValues& values, uint64_t record);
  [[nodiscard]] bool PutAbsent(uint64_t record);
  [[nodiscard]] uint32_t ColumnOf(ByteView name, Place* place) const;
  static void Press(const uint8_t* at, const uint8_t* end, const PlainKinds& kinds, Place& place);

  const DecodingPlan& plan_;
  FeatureColumn* columns_ = nullptr;  // of this pass
  std::vector<uint64_t> seen_;        // per column: the last pass that found it
  uint64_t pass_ = 0;
  size_t found_ = 0;  // columns that this pass found
  std::vector<Place> places_;
  PlainList list_;
};

}  // namespace ofindex
