#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/extract/extracted_feature.h"
#include "proto/extract/field_plan.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// Selective decode: reads from each record's payload only what its columns need: which features there are, of which
/// kind, how many values, and the value if there is exactly one. Follows libprotobuf exactly as DecodedRecord does.
/// Nothing recurses, and nothing is allocated per record once the largest one was seen. Memory is bounded except for
/// features that are kept whole, which take at most 16 bytes per payload byte. Not thread-safe; create one per thread
/// and reuse it for all records.
///
/// Paths of a plan (FieldPlan::OfMessage) are numbered from 0 and are never dropped. A field that is not on the
/// wire is not found, whether it has a default or not; a singular field that occurs more than once counts once, as
/// the last; setting one member of a oneof does not clear the others. Fields outside the paths are
/// skipped, and may be malformed inside.
class Extractor {
 public:
  /// `whole` are the names of features whose lists are kept.
  Extractor(const FieldPlan& plan, std::span<const std::string> whole);
  ~Extractor();
  Extractor(Extractor&&) noexcept;
  Extractor& operator=(Extractor&&) noexcept;

  enum class Outcome : uint8_t {
    kWellFormed,
    kMalformed,   ///< malformed() gives place and reason; found() is empty
    kUnreadable,  ///< PayloadPages returned no bytes; found() is empty
  };

  /// Extracts from a payload in memory, or from one that is fetched in pieces. Replaces found(). A payload longer than
  /// kMaxMessageBytes is malformed at byte 0: kLongLength.
  [[nodiscard]] Outcome Extract(ByteView payload);
  [[nodiscard]] Outcome Extract(PayloadPages& pages, uint64_t length);

  /// Returns the features of the last record, each once, in no particular order. If a SequenceExample
  /// has both a context feature `x[]` and a feature list `x`, this is the list. Valid until the next call; its
  /// views only as long as the payload.
  [[nodiscard]] std::span<const ExtractedFeature> found() const;
  [[nodiscard]] const Malformed& malformed() const;

  /// The values of a feature that is kept whole and does not have exactly one value: integers as int64, floats and
  /// doubles as their bits, or bytes. Of a bytes value longer than kMaxKeptBytes, only the size is kept, and data() is
  /// null.
  [[nodiscard]] std::span<const uint64_t> numbers() const;
  [[nodiscard]] std::span<const ByteView> strings() const;

  /// Returns the names by number, as shown to users: a feature list has `[]` appended. No two are equal.
  /// Numbers are assigned in order of discovery, and stay until Forget(), or until the name is evicted.
  /// Malformed records add no names.
  [[nodiscard]] std::span<const std::string> names() const;

  /// Returns true if `feature` stands for a name now; a number whose name was evicted
  /// stands for none until it is reused.
  [[nodiscard]] bool kept(uint32_t feature) const;

  /// Returns the numbers whose names the last Extract() evicted in favour of names before them in byte order. Such a
  /// name never comes back, but its number is reused, possibly already in found(): discard everything collected under
  /// the number before reading found().
  [[nodiscard]] std::span<const uint32_t> evicted() const;

  /// Returns true once a name was dropped: there were more than kMaxFeatures, or they were too long.
  [[nodiscard]] bool dropped() const;

  /// Returns the first name in byte order that was evicted; neither it nor any name after it is known, except those
  /// kept whole. nullopt if none was.
  [[nodiscard]] const std::optional<std::string>& first_evicted() const;

  /// Forgets all names. Used between blocks: the summary of a block must not depend on earlier blocks.
  void Forget();

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace ofindex
