#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "index/catalog/damage.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {

/// The result of a walk over one shard: where its records lie, framing included, and where there are none.
struct Walk {
  struct Extent {
    uint64_t begin;
    uint64_t end;

    friend bool operator==(const Extent&, const Extent&) = default;
  };

  std::vector<Extent> records;
  std::vector<DamagedRange> damage;

  friend bool operator==(const Walk&, const Walk&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const Walk& walk) {
  out << walk.records.size() << " records";
  if (!walk.records.empty()) out << " to " << walk.records.back().end;
  for (const DamagedRange& range : walk.damage) {
    out << ", " << Name(range.reason) << " [" << range.begin << ", " << range.end << ")";
  }
  return out;
}

/// An independent implementation of the walk, over a shard in memory, byte by byte and without optimization. Shares no
/// code with the walker except the types of the result.
class ReferenceWalk {
 public:
  static Walk Of(Framing framing, std::string_view shard) {
    ReferenceWalk walk(framing, shard);
    while (walk.at_ < shard.size()) walk.Step();
    return std::move(walk.walk_);
  }

 private:
  ReferenceWalk(Framing framing, std::string_view shard) : tf_(framing == Framing::kTfRecord), shard_(shard) {}

  void Step() {
    const uint64_t left = shard_.size() - at_;
    if (left < Header() || ZerosOnly()) return End(DamageReason::kTornTail);
    if (tf_ && !HeaderHolds(at_)) return Resync();
    const uint64_t length = Load64(at_);
    if (!tf_ && at_ == 0 && shard_.find_first_not_of('\0') >= 16) return PassZeroHead();
    const uint64_t overhead = Header() + (tf_ ? 4 : 0);
    if (left >= overhead && length <= left - overhead) {
      walk_.records.push_back({at_, at_ + overhead + length});
      at_ += overhead + length;
      return;
    }
    End(length <= (tf_ ? uint64_t{INT64_MAX} : uint64_t{INT32_MAX}) ? DamageReason::kTornTail
                                                                    : DamageReason::kBadLength);
  }

  void PassZeroHead() {
    while (shard_.size() - at_ >= 8 && Load64(at_) == 0) at_ += 8;
    walk_.damage.push_back({0, at_, DamageReason::kZeroHead});
  }

  void Resync() {
    for (uint64_t next = at_ + 1; next < shard_.size(); ++next) {
      if (!WholeRecordAt(next)) continue;
      walk_.damage.push_back({at_, next, DamageReason::kBadLengthCrc});
      at_ = next;
      return;
    }
    End(DamageReason::kBadLengthCrc);
  }

  bool WholeRecordAt(uint64_t at) const {
    if (shard_.size() - at < 16 || !HeaderHolds(at)) return false;
    const uint64_t length = Load64(at);
    if (length > shard_.size() - at - 16) return false;
    return SlowMaskedCrc32c(shard_.substr(at + 12, length)) == Load32(at + 12 + length);
  }

  // Zero bytes to the end: no TFRecord begins like this; in OFRecords it is the run of empty ones left by a writer.
  bool ZerosOnly() const { return shard_.substr(at_).find_first_not_of('\0') == std::string_view::npos; }
  bool HeaderHolds(uint64_t at) const { return SlowMaskedCrc32c(shard_.substr(at, 8)) == Load32(at + 8); }
  uint64_t Header() const { return tf_ ? 12 : 8; }

  uint64_t Load64(uint64_t at) const { return LoadLe64(AsBytes(shard_).data() + at); }
  uint32_t Load32(uint64_t at) const { return LoadLe32(AsBytes(shard_).data() + at); }

  void End(DamageReason reason) {
    walk_.damage.push_back({at_, shard_.size(), reason});
    at_ = shard_.size();
  }

  const bool tf_;
  const std::string_view shard_;
  uint64_t at_ = 0;
  Walk walk_;
};

}  // namespace ofindex
