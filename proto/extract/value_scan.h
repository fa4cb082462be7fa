#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/record.h"
#include "proto/features.h"
#include "proto/message_fields.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// One value of a feature.
struct ScannedValue {
  FeatureKind kind = FeatureKind::kNone;
  int64_t integer = 0;  ///< for kInt32 and kInt64
  ByteView bytes = {};  ///< for kBytes: a view of the payload
};

/// Reads the values of one feature straight from a payload: allocates nothing and owns nothing, so that it may run over
/// mapped bytes in a guarded section (mmap/files/fault_guard.h). Follows the rules of DecodedRecord: the last entry of
/// a name replaces earlier ones; inside an entry, lists of one kind are merged, and a list of another kind replaces
/// them. Other features are skipped without being read. A name that ends in `[]` means the feature list of a
/// SequenceExample, if there is one: the values of all its steps, in order.
class ValueScan {
 public:
  ValueScan(PayloadKind payload, std::string_view name) : payload_(payload), name_(name) {}

  /// Calls `visit(const ScannedValue&)` for each value, in order; `integer` and `bytes` of floats and doubles are not
  /// set. Returns false if what is read of the payload is malformed; `visit` may have been called even then.
  template <typename Visit>
  [[nodiscard]] bool Run(ByteView payload, const Visit& visit) const {
    if (payload_ == PayloadKind::kOpaque || payload.size() > kMaxMessageBytes) return false;
    Malformed malformed;
    Found found;
    WireReader reader(payload, &malformed);
    if (!FindIn(reader, found)) return false;
    if (found.steps.data() != nullptr) return RunSteps(reader.Nested(found.steps), visit);
    return found.entry.data() == nullptr || RunEntry(reader.Nested(found.entry), visit);
  }

 private:
  // The last map entry with the name, of a feature and of a feature list; no data if there is none.
  struct Found {
    ByteView entry = {};
    ByteView steps = {};
  };

  [[nodiscard]] bool FindIn(WireReader payload, Found& found) const {
    if (payload_ == PayloadKind::kOfRecord) return FindEntry(payload, name_, found.entry);
    const bool listed = payload_ == PayloadKind::kSequenceExample && name_.ends_with("[]");
    WireField field;
    while (payload.Next(&field)) {
      if (field.type != WireType::kBytes) continue;
      const WireReader nested = payload.Nested(field.bytes);
      if (field.number == kContext && !FindEntry(nested, name_, found.entry)) return false;
      if (field.number != kFeatureLists || !listed) continue;
      if (!FindEntry(nested, name_.substr(0, name_.size() - 2), found.steps)) return false;
    }
    return payload.ok();
  }

  [[nodiscard]] static bool FindEntry(WireReader entries, std::string_view name, ByteView& found) {
    WireField field;
    while (entries.Next(&field)) {
      if (field.number != kMapEntry || field.type != WireType::kBytes) continue;
      WireReader entry = entries.Nested(field.bytes);
      std::string_view key;
      WireField part;
      while (entry.Next(&part)) {
        if (part.number == kEntryKey && part.type == WireType::kBytes) key = AsText(part.bytes);
      }
      if (key == name) found = field.bytes;
    }
    return entries.ok();
  }

  template <typename Visit>
  [[nodiscard]] bool RunSteps(WireReader entry, const Visit& visit) const {
    return ForEach(entry, kEntryValue, [&](WireReader steps) {
      return ForEach(steps, kStep, [&](WireReader feature) {
        Lists lists;
        return CountLists(feature, lists) && VisitLists(feature, lists, visit);
      });
    });
  }

  // Visits the values of an entry. It may have several features, which count as one.
  template <typename Visit>
  [[nodiscard]] bool RunEntry(WireReader entry, const Visit& visit) const {
    Lists lists;
    return ForEach(entry, kEntryValue, [&](WireReader feature) { return CountLists(feature, lists); }) &&
           ForEach(entry, kEntryValue, [&](WireReader feature) { return VisitLists(feature, lists, visit); });
  }

  // The lists of values that a feature has had so far. Those before `first` were replaced by lists of another kind.
  struct Lists {
    uint64_t count = 0;
    uint64_t first = 0;
    uint64_t next = 0;  // to visit
    FeatureKind kind = FeatureKind::kNone;
  };

  [[nodiscard]] bool CountLists(WireReader feature, Lists& lists) const {
    WireField field;
    while (feature.Next(&field)) {
      const FeatureKind kind = KindOfField(payload_, field.number);
      if (kind == FeatureKind::kNone || field.type != WireType::kBytes) continue;
      if (kind != lists.kind) lists.first = lists.count;
      lists.kind = kind;
      ++lists.count;
    }
    return feature.ok();
  }

  template <typename Visit>
  [[nodiscard]] bool VisitLists(WireReader feature, Lists& lists, const Visit& visit) const {
    WireField field;
    while (feature.Next(&field)) {
      const FeatureKind kind = KindOfField(payload_, field.number);
      if (kind == FeatureKind::kNone || field.type != WireType::kBytes) continue;
      if (lists.next++ < lists.first) continue;
      if (!VisitList(feature.Nested(field.bytes), kind, visit)) return false;
    }
    return true;
  }

  template <typename Visit>
  [[nodiscard]] static bool VisitList(WireReader list, FeatureKind kind, const Visit& visit) {
    const bool is_integer = kind == FeatureKind::kInt64 || kind == FeatureKind::kInt32;
    WireField field;
    while (list.Next(&field)) {
      if (field.number != kListValue) continue;
      if (field.type == ValueType(kind)) {
        visit(ScannedValue{.kind = kind,
                           .integer = is_integer ? IntegerOf(kind, field.value) : 0,
                           .bytes = kind == FeatureKind::kBytes ? field.bytes : ByteView()});
      } else if (field.type == WireType::kBytes && is_integer) {
        WireReader packed = list.Packed(field.bytes);
        uint64_t varint = 0;
        while (packed.NextVarint(&varint)) visit(ScannedValue{.kind = kind, .integer = IntegerOf(kind, varint)});
        if (!packed.ok()) return false;
      } else if (field.type == WireType::kBytes && !field.bytes.empty()) {
        visit(ScannedValue{.kind = kind});  // packed floats or doubles
      }
    }
    return list.ok();
  }

  // Calls `use(WireReader)` for each message in field `number`. Returns false if `use` does, or if it is malformed.
  template <typename Use>
  [[nodiscard]] static bool ForEach(WireReader message, uint32_t number, const Use& use) {
    WireField field;
    while (message.Next(&field)) {
      if (field.number == number && field.type == WireType::kBytes && !use(message.Nested(field.bytes))) return false;
    }
    return message.ok();
  }

  PayloadKind payload_;
  std::string_view name_;
};

}  // namespace ofindex
