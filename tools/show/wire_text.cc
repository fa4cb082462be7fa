#include "tools/show/wire_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "proto/wire/varint.h"
#include "tools/show/wire_fields.h"
#include "tools/show/wire_values.h"
#include "tools/show/wire_words.h"

namespace ofindex {
namespace {

constexpr size_t kMaxTagBytes = 5;

// Returns the varint at the front of `bytes`, which begins with a valid one.
ByteView FrontVarint(ByteView bytes) {
  uint64_t value = 0;
  return bytes.first(TakeVarint(bytes.first(std::min<size_t>(bytes.size(), 10)), &value));
}

// Returns the name by which a feature is requested: the last key of an entry, as protobuf reads it.
std::string AskedName(ByteView entry, Holds holds) {
  std::string_view key;
  Malformed malformed;
  WireReader reader(entry, &malformed);
  for (WireField field; reader.Next(&field);) {
    if (field.number == 1 && field.type == WireType::kBytes) key = AsText(field.bytes);
  }
  return StrCat(key, holds == Holds::kListEntry ? "[]" : "");
}

bool IsMessage(ByteView payload, Malformed* malformed) {
  if (payload.size() > kMaxMessageBytes) return false;
  WireReader reader(payload, malformed);
  for (WireField field; reader.Next(&field);) continue;
  return reader.ok();
}

// Walks a payload as the decoder does, and adds a row for every part. Functions that return bool return false if
// something is malformed; depth_ is then the nesting depth of the fault.
class WireWalk {
 public:
  WireWalk(ByteView payload, const std::optional<std::string>& feature, WireRowSink sink,
           const std::atomic<bool>* cancel)
      : payload_(payload), feature_(feature), rows_(payload, std::move(sink), cancel) {
    rows_.Show(!feature_);
  }

  void Explain(Holds holds) {
    WireReader reader(payload_, &malformed_);
    if (!Message(reader, holds)) Fault();
    rows_.EndRun();
  }

  void ExplainOpaque() {
    Malformed malformed;
    if (IsMessage(payload_, &malformed)) return Explain(Holds::kUnknown);
    const std::string_view why = malformed.fault == WireFault::kNone ? "too long" : Name(malformed.fault);
    rows_.AddNarrow(payload_.first(0), 0, StrCat("not a protobuf message: ", why, " at byte ", malformed.offset));
    rows_.AddHexDump(payload_, 0);
    rows_.EndRun();
  }

  [[nodiscard]] Result<WireOutcome> outcome() const {
    if (!rows_.written()) return tl::unexpected(rows_.written().error());
    return WireOutcome{malformed_, entries_};
  }

 private:
  bool Message(WireReader& reader, Holds in) {
    const uint8_t* begin = reader.rest().data();
    for (WireField field; reader.Next(&field); begin = reader.rest().data()) {
      if (!Field(reader, field, {begin, reader.rest().data()}, in)) return false;
    }
    if (reader.ok()) return true;
    BeforeFault({begin, payload_.data() + malformed_.offset}, in);
    return false;
  }

  // `whole` is the field with its tag and length.
  bool Field(const WireReader& reader, const WireField& field, ByteView whole, Holds in) {
    const KnownField* known = FindField(in, field.number);
    const Holds holds = known != nullptr ? known->holds : Holds::kUnknown;
    const bool packed = field.type == WireType::kBytes && holds > Holds::kBytes;
    const bool is_known = known != nullptr && (packed || field.type == WrittenAs(holds));
    if (is_known && IsMapEntry(holds) && feature_) return AskedEntry(reader, field, whole, *known);
    const std::string note = is_known || in == Holds::kUnknown ? "" : UnknownNote(known);
    if (field.type == WireType::kGroup) return Group(reader, field, whole, note);
    const size_t front = field.type == WireType::kBytes ? whole.size() - field.bytes.size() : FrontVarint(whole).size();
    const ByteView value = whole.subspan(front);
    const std::string_view name = is_known ? known->name : "";
    if (packed) {
      const PackedRows list(reader, value, holds);
      Head(whole.first(front), name, list.text());
      return list.Add(rows_, depth_ + 1);
    }
    Head(whole.first(front), name, note);
    if (is_known && IsMessage(holds)) return Nested(reader.Nested(value), holds);
    AddValue(rows_, value, depth_ + 1, field.type, is_known ? holds : Holds::kUnknown);
    return true;
  }

  static std::string UnknownNote(const KnownField* known) {
    if (known == nullptr) return ": unknown";
    return StrCat(": unknown, ", known->name, " would be ", WireTypeName(WrittenAs(known->holds)));
  }

  bool Nested(WireReader reader, Holds holds) {
    ++depth_;
    if (!Message(reader, holds)) return false;
    --depth_;
    return true;
  }

  bool AskedEntry(const WireReader& reader, const WireField& field, ByteView whole, const KnownField& known) {
    const bool asked = AskedName(field.bytes, known.holds) == *feature_;
    if (asked) ++entries_;
    rows_.Show(asked);
    Head(whole.first(whole.size() - field.bytes.size()), known.name, "");
    if (!Nested(reader.Nested(field.bytes), known.holds)) return false;
    if (asked) rows_.EndRun();
    rows_.Show(false);
    return true;
  }

  bool Group(const WireReader& reader, const WireField& field, ByteView whole, std::string_view note) {
    const auto front = static_cast<size_t>(field.bytes.data() - whole.data());
    Head(whole.first(front), "", note);
    if (!Nested(reader.Nested(field.bytes), Holds::kUnknown)) return false;
    Head(whole.subspan(front + field.bytes.size()), "", "");
    return true;
  }

  // Adds the row of a tag and, if there is one, of its length.
  void Head(ByteView bytes, std::string_view name, std::string_view note) {
    if (!rows_.shown()) return;
    const ByteView tag = FrontVarint(bytes);
    const ByteView length = bytes.subspan(tag.size());
    rows_.AddNarrow(bytes, depth_,
                    StrCat(TagText(tag), length.empty() ? "" : ", ", length.empty() ? "" : LengthText(length), note),
                    name);
  }

  // Adds the valid bytes between the last field and the fault: the beginnings of groups, and a tag.
  void BeforeFault(ByteView bytes, Holds in) {
    while (!bytes.empty()) {
      Malformed ignored;
      WireReader reader(bytes, &ignored);
      WireField field;
      if (reader.Next(&field)) {
        static_cast<void>(Field(reader, field, bytes.first(bytes.size() - reader.rest().size()), in));
        bytes = reader.rest();
        continue;
      }
      const ByteView tag = FrontVarint(bytes.first(std::min(bytes.size(), kMaxTagBytes)));
      if (tag.empty()) return;
      const auto type = static_cast<WireType>(tag[0] & 7);
      uint64_t value = 0;
      static_cast<void>(TakeVarint(tag, &value));
      const KnownField* known = FindField(in, static_cast<uint32_t>(value) >> 3);
      Head(tag, known != nullptr && type == WrittenAs(known->holds) ? known->name : "", "");
      bytes = bytes.subspan(tag.size());
      if (type == WireType::kGroup) ++depth_;
      in = Holds::kUnknown;
    }
  }

  void Fault() {
    const ByteView rest = payload_.subspan(malformed_.offset);
    std::string text = StrCat("malformed: ", Name(malformed_.fault));
    if (malformed_.fault == WireFault::kPastEnd) text += StrCat(", ", LengthText(FrontVarint(rest)));
    rows_.AddNarrow(rest.first(0), depth_, text);
    rows_.AddHexDump(rest, depth_);
  }

  ByteView payload_;
  const std::optional<std::string>& feature_;
  WireRows rows_;
  Malformed malformed_;
  uint64_t entries_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<WireOutcome> ExplainWireRows(ByteView payload, PayloadKind kind, const std::optional<std::string>& feature,
                                    WireRowSink sink, const std::atomic<bool>* cancel) {
  WireWalk walk(payload, feature, std::move(sink), cancel);
  if (kind == PayloadKind::kOpaque) {
    walk.ExplainOpaque();
  } else {
    walk.Explain(MessageOf(kind));
  }
  return walk.outcome();
}

Result<WireOutcome> ExplainWire(ByteView payload, PayloadKind kind, const std::optional<std::string>& feature,
                                const LineSink& sink) {
  return ExplainWireRows(payload, kind, feature, [&sink](const WireRow& row) { return sink(LineOf(row)); });
}

}  // namespace ofindex
