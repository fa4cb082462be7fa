#include "tools/show/feature_text.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "proto/feature_slices.h"
#include "tools/shell/table.h"
#include "tools/show/hex_text.h"
#include "tools/show/number_text.h"
#include "tools/terminal/terminal.h"
#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

constexpr size_t kMaxRowText = 64;      // for the values of one row
constexpr size_t kMaxDumped = 4 << 10;  // for one payload

std::string BytesText(ByteView bytes) {
  const std::string_view text = AsText(bytes);
  const bool plain = text.size() <= kMaxRowText && IsUtf8(text) && text == Printable(text);
  if (plain) return StrCat("\"", text, "\"");
  const ByteView front = bytes.first(std::min<size_t>(bytes.size(), 8));
  return StrCat("<", FormatCount(bytes.size()), " bytes: ", ToHex(front), front.size() < bytes.size() ? "...>" : ">");
}

// The columns of the terminal that the values of a row may take; nothing: any number.
using Room = std::optional<size_t>;

constexpr size_t kMinCut = 4;  // a character and "..."

std::string LeftOut(size_t values) { return values == 0 ? "" : StrCat(" ... ", FormatCount(values), " more"); }

// Returns what is shown instead of values of which none fits `room`.
std::string AllLeftOut(size_t values, size_t room) {
  for (std::string text : {LeftOut(values).substr(1), Counted(values, "value")}) {
    if (text.size() <= room) return text;
  }
  return "...";
}

Room Without(size_t columns, Room room) { return room ? Room(*room - std::min(*room, columns)) : room; }

// Joins the first of `count` values until the row is full, and says how many are left out. That fits `room`, too; if
// the first value does not, it is cut. `values` has at least as many as a row holds, or all.
template <typename Values, typename Format>
std::string Join(const Values& values, size_t count, Format format, Room room) {
  if (values.size() == 0) return "";
  std::string text;
  std::string fitting;
  for (size_t i = 0; i < values.size() && text.size() < kMaxRowText; ++i) {
    text += StrCat(i == 0 ? "" : " ", format(values[i]));
    std::string whole = StrCat(text, LeftOut(count - i - 1));
    if (!room || ShownWidth(whole) <= *room) fitting = std::move(whole);
    if (room && ShownWidth(text) > *room) break;
  }
  if (!fitting.empty() || !room) return fitting;
  const std::string others = LeftOut(count - 1);
  const size_t left = *Without(others.size(), room);
  return left < kMinCut ? AllLeftOut(count, *room) : CutToWidth(format(values[0]), left) + others;
}

std::string ValuesText(const DecodedRecord& record, FeatureValue value, Room room) {
  FeatureSlices slices(record, value, kMaxRowText);
  FeatureData front;
  if (!slices.Next(&front)) return "";
  switch (value.kind) {
    case FeatureKind::kNone: return "";
    case FeatureKind::kBytes: return Join(front.bytes(), value.count, BytesText, room);
    case FeatureKind::kFloat:
      return Join(
          front.floats(), value.count, [](float x) { return Shortest(x); }, room);
    case FeatureKind::kDouble:
      return Join(
          front.doubles(), value.count, [](double x) { return Shortest(x); }, room);
    case FeatureKind::kInt32:
    case FeatureKind::kInt64:
      return Join(
          front.integers(), value.count, [](int64_t x) { return Shortest(x); }, room);
  }
  return "";
}

std::string StepsText(const DecodedRecord& record, const FeatureList& list, Room room) {
  const Room inside = Without(LeftOut(list.step_count).size() + 2, room);
  const auto text = [&](const FeatureValue& step) { return StrCat("[", ValuesText(record, step, inside), "]"); };
  return Join(record.steps(list), list.step_count, text, room);
}

std::string_view KindOfSteps(const DecodedRecord& record, const FeatureList& list) {
  FeatureKind kind = FeatureKind::kNone;
  for (const FeatureValue& step : record.steps(list)) {
    if (step.kind == FeatureKind::kNone || step.kind == kind) continue;
    if (kind != FeatureKind::kNone) return "mixed";
    kind = step.kind;
  }
  return Name(kind);
}

// The rows of a table, whose last cells are made once it is known how wide the others are.
class FeatureRows {
 public:
  void Add(const std::string& name, std::string_view kind, uint64_t count, std::function<std::string(Room)> text) {
    rows_.push_back({Printable(name), std::string(kind), FormatCount(count), ""});
    values_.push_back(std::move(text));
  }

  [[nodiscard]] Result<void> Print(Output& out) && {
    TableRow header = {"feature", "kind", "count", ""};
    const Room room = RoomBeside(header);
    header.back() = "values";
    Table table(std::move(header));
    for (size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].back() = values_[i](room);
      table.Add(std::move(rows_[i]));
    }
    return table.Print(out);
  }

 private:
  // Returns the room for the values, in which the table does not cut them: what the other cells leave of the terminal,
  // or half of it together with the names if those are longer.
  [[nodiscard]] Room RoomBeside(const TableRow& header) const {
    const Room width = TerminalWidth(STDOUT_FILENO);
    if (!width) return width;
    std::vector<TableRow> others = {header};
    others.insert(others.end(), rows_.begin(), rows_.end());
    size_t names = 0;
    for (const TableRow& row : others) names = std::max(names, ShownWidth(row.front()));
    const size_t beside = ShownWidth(TableLayout(others, std::nullopt).Line(header));
    const size_t rest = *Without(beside - names, width);
    return std::max(*Without(names, rest), rest / 2);
  }

  std::vector<TableRow> rows_;
  std::vector<std::function<std::string(Room)>> values_;
};

}  // namespace

Result<void> PrintFeatures(const DecodedRecord& record, const std::vector<std::string>& only, Output& out) {
  const auto is_left_out = [&only](std::string_view name) {
    return !only.empty() && std::find(only.begin(), only.end(), name) == only.end();
  };
  FeatureRows rows;
  for (const Feature& feature : record.features()) {
    if (is_left_out(AsText(feature.name))) continue;
    rows.Add(std::string(AsText(feature.name)), Name(feature.value.kind), feature.value.count,
             [&](Room room) { return ValuesText(record, feature.value, room); });
  }
  for (const FeatureList& list : record.feature_lists()) {
    const std::string name = StrCat(AsText(list.name), "[]");
    if (is_left_out(name)) continue;
    rows.Add(name, KindOfSteps(record, list), list.step_count,
             [&](Room room) { return StepsText(record, list, room); });
  }
  return std::move(rows).Print(out);
}

Result<void> PrintHexDump(ByteView bytes, Output& out) {
  const ByteView shown = bytes.first(std::min(bytes.size(), kMaxDumped));
  for (size_t at = 0; at < shown.size(); at += kHexRow) {
    const ByteView row = shown.subspan(at, std::min(kHexRow, shown.size() - at));
    OFINDEX_TRY(out.Line(StrCat(HexOffset(at), "  ", HexColumns(row), " ", HexText(row))));
  }
  if (shown.size() == bytes.size()) return {};
  return out.Line(StrCat("and ", FormatCount(bytes.size() - shown.size()), " more bytes (--raw writes all)"));
}

}  // namespace ofindex
