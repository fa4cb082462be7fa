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
#include "proto/skim/field_plan.h"
#include "proto/skim/skimmed.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// Reads of each record's payload what its columns need: which features there are, of what kind, how many values, and
/// the value where there is one. Follows libprotobuf in everything that DecodedRecord does; nothing recurses, and
/// nothing is allocated per record once the largest one was seen. Memory is bounded but for features that are kept
/// whole: those take 16 bytes at most for one of the payload. Not thread-safe; made once per thread and used for record
/// after record.
///
/// Paths of a plan (FieldPlan::OfMessage) are numbered from 0 and are never dropped. A field that is not on the wire is
/// not found, default or not; a singular one that is there more than once counts once, as the last; that members of a
/// oneof displace each other is not looked at. Fields beside the paths are passed over, and may be malformed inside.
class Skimmer {
 public:
  /// `whole` are the names of features whose lists are kept.
  Skimmer(const FieldPlan& plan, std::span<const std::string> whole);
  ~Skimmer();
  Skimmer(Skimmer&&) noexcept;
  Skimmer& operator=(Skimmer&&) noexcept;

  enum class Outcome : uint8_t {
    kWellFormed,
    kMalformed,   ///< malformed() says where and why; found() is empty
    kUnreadable,  ///< PayloadPages gave no bytes; found() is empty
  };

  /// Skims a payload that lies in memory, or one that is fetched piece by piece. found() is replaced. One that is
  /// longer than kMaxMessageBytes is malformed at byte 0: kLongLength.
  [[nodiscard]] Outcome Skim(ByteView payload);
  [[nodiscard]] Outcome Skim(PayloadPages& pages, uint64_t length);

  /// The features of the record that was skimmed last, each once, in no order. Where a SequenceExample has both a
  /// context feature called `x[]` and a feature list called `x`, this is the list. Valid until the next call, and views
  /// as long as the payload too.
  [[nodiscard]] std::span<const SkimmedFeature> found() const;
  [[nodiscard]] const Malformed& malformed() const;

  /// Values of features that are kept whole, where they are not exactly one: integers as int64, floats and doubles as
  /// their bits; or bytes. A bytes value longer than kMostKeptBytes has its size, and null for data().
  [[nodiscard]] std::span<const uint64_t> numbers() const;
  [[nodiscard]] std::span<const ByteView> texts() const;

  /// Names by number, as shown to users: a feature list has `[]` behind its own. No two are equal. Numbers are given in
  /// the order of discovery, and stay until Forget(), or until the name is given up. Records that are malformed teach
  /// no names.
  [[nodiscard]] std::span<const std::string> names() const;

  /// True if `feature` stands for a name now; one whose name was given up stands for none until another gets it.
  [[nodiscard]] bool kept(uint32_t feature) const;

  /// Numbers whose names the last Skim() gave up, for names before them in byte order. Such a name never comes back,
  /// but its number may: what was collected under it has to be thrown away before found() is looked at, where it may
  /// already stand for another name.
  [[nodiscard]] std::span<const uint32_t> given_up() const;

  /// True once a name was dropped: there were more than kMostFeatures, or they were too long.
  [[nodiscard]] bool dropped() const;

  /// The first name in byte order that was given up; neither it nor any behind it is known, but for those that are kept
  /// whole. nullopt if none was.
  [[nodiscard]] const std::optional<std::string>& first_given_up() const;

  /// Forgets all names, as between blocks: what a block says must not depend on the blocks before it.
  void Forget();

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace ofindex
