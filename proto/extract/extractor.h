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

class UniformRun;

/// Selective decode: reads from each record's payload only what columns need: which features there are, their kinds and
/// numbers of values, and the value of a feature that has exactly one. Interprets payloads as libprotobuf does, like
/// DecodedRecord. Does not recurse, and allocates nothing per record once it has seen the largest one. Memory is
/// bounded except for features that are kept whole, which take at most 16 bytes per payload byte. Not thread-safe;
/// create one per thread and reuse it for all records.
///
/// Paths of a plan (FieldPlan::OfMessage) are numbered from 0 and are never dropped. A field that is not on the wire is
/// not found, even if it has a default. If a singular field occurs more than once, only the last occurrence counts.
/// Setting one member of a oneof does not clear the others. Fields outside the paths are skipped, and their content may
/// be malformed.
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

  /// Extracts from a payload in memory, or from a payload that is fetched in pieces. Replaces found(). A payload longer
  /// than kMaxMessageBytes is malformed, with kLongLength at byte 0.
  [[nodiscard]] Outcome Extract(ByteView payload);
  [[nodiscard]] Outcome Extract(PayloadPages& pages, uint64_t length);

  /// Returns the run of records that Extract() expects to come next. A record that can be added to the run is extracted
  /// by that alone: it has new values, and neither new features nor new names. The run must be empty when Extract() or
  /// Forget() is called.
  [[nodiscard]] UniformRun& run();

  /// Returns the features of the last record, each once, in no particular order. If a SequenceExample
  /// has both a context feature `x[]` and a feature list `x`, only the list is returned. Valid until the next call;
  /// views in the result are valid as long as the payload, too.
  [[nodiscard]] std::span<const ExtractedFeature> found() const;
  [[nodiscard]] const Malformed& malformed() const;

  /// The values of a feature that is kept whole and does not have exactly one value: integers as int64, floats and
  /// doubles as their bits, or bytes. If a bytes value is longer than kMaxKeptBytes, only its size is kept, and data()
  /// is null.
  [[nodiscard]] std::span<const uint64_t> numbers() const;
  [[nodiscard]] std::span<const ByteView> strings() const;

  /// Where in the payload each of strings() is.
  [[nodiscard]] std::span<const PayloadRange> ranges() const;

  /// Returns the names by number, as shown to users: a feature list has `[]` appended. No two are equal. Numbers are
  /// assigned in order of discovery. A name keeps its number until Forget() is called or the name is evicted.
  /// Malformed records add no names.
  [[nodiscard]] std::span<const std::string> names() const;

  /// Returns true if the number `feature` currently belongs to a name. A number whose name was evicted belongs to none
  /// until it is reused.
  [[nodiscard]] bool kept(uint32_t feature) const;

  /// Returns the numbers whose names the last Extract() evicted to make room for names that precede them in byte order.
  /// An evicted name never comes back, but its number is reused, possibly already in found(): discard everything
  /// collected under that number before reading found().
  [[nodiscard]] std::span<const uint32_t> evicted() const;

  /// Returns true once a name was dropped: there were more than kMaxFeatures, or they were too long.
  [[nodiscard]] bool dropped() const;

  /// Returns the first name, in byte order, of all that were evicted; nullopt if none was. That name and all names
  /// after it are unknown, except the names of features that are kept whole.
  [[nodiscard]] const std::optional<std::string>& first_evicted() const;

  /// Forgets all names. Called between blocks, because the summary of a block must not depend on earlier blocks.
  void Forget();

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace ofindex
