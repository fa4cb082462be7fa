#include "python/src/records/rows.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/checksum.h"
#include "base/text.h"

namespace ofindex::python {
namespace {

// The first byte of Serialize(). A picked row takes eight bytes, a range sixteen.
enum class Kind : uint8_t { kRange = 0, kSet = 1, kPicks = 2 };

void Append(uint64_t value, std::vector<uint8_t>& bytes) {
  bytes.resize(bytes.size() + 8);
  StoreLe64(bytes.data() + bytes.size() - 8, value);
}

OrdinalSet SetOf(const View& view) {
  OrdinalSet::Builder builder;
  for (uint64_t i = 0; i < view.size(); ++i) builder.Add(view.At(i));
  return builder.Take();
}

bool IsRange(const View& view) { return view.size() == 0 || view.At(view.size() - 1) - view.At(0) == view.size() - 1; }

tl::unexpected<Error> NoRows() { return Fail(ErrorCode::kIndex, "these bytes are not the rows of a dataset"); }

Result<Rows> ParsePicks(ByteView bytes, uint64_t records) {
  if (bytes.size() % 8 != 0) return NoRows();
  Rows::Picks picks(bytes.size() / 8);
  for (size_t i = 0; i < picks.size(); ++i) {
    picks[i] = LoadLe64(bytes.data() + 8 * i);
    if (picks[i] >= records) return NoRows();
  }
  return Rows(std::move(picks));
}

}  // namespace

Rows Rows::Of(Picks picks) {
  if (std::adjacent_find(picks.begin(), picks.end(), std::greater_equal<>()) != picks.end()) {
    return Rows(std::move(picks));
  }
  OrdinalSet::Builder builder;
  for (const uint64_t ordinal : picks) builder.Add(ordinal);
  return Rows(View::Of(builder.Take()));
}

uint64_t Rows::size() const {
  const View* view = this->view();
  return view != nullptr ? view->size() : std::get<1>(rows_)->size();
}

uint64_t Rows::At(uint64_t i) const {
  const View* view = this->view();
  return view != nullptr ? view->At(i) : (*std::get<1>(rows_))[i];
}

void Rows::Map(std::span<uint64_t> indices) const {
  if (const View* view = this->view()) return view->Map(indices);
  const Picks& picks = *std::get<1>(rows_);
  for (uint64_t& index : indices) index = picks[index];
}

Rows Rows::Slice(uint64_t start, int64_t step, uint64_t count) const {
  const View* view = this->view();
  if (count == 0) return Rows();
  if (view != nullptr && step == 1) return Rows(view->Slice(start, start + count));
  const auto row = [&](uint64_t i) { return At(start + static_cast<uint64_t>(step) * i); };
  if (view != nullptr && step > 0) {
    OrdinalSet::Builder builder;
    for (uint64_t i = 0; i < count; ++i) builder.Add(row(i));
    return Rows(View::Of(builder.Take()));
  }
  Picks picks(count);
  for (uint64_t i = 0; i < count; ++i) picks[i] = row(i);
  return Of(std::move(picks));
}

Rows Rows::Pick(Picks indices) const {
  Map(indices);
  return Of(std::move(indices));
}

Rows Rows::Where(const OrdinalSet& selected) const {
  if (const View* view = this->view()) return Rows(view->Where(selected));
  Picks kept;
  for (const uint64_t ordinal : *std::get<1>(rows_)) {
    if (selected.Contains(ordinal)) kept.push_back(ordinal);
  }
  return Of(std::move(kept));
}

Rows Rows::Sorted() const {
  if (view() != nullptr) return *this;
  Picks sorted = *std::get<1>(rows_);
  std::sort(sorted.begin(), sorted.end());
  return Rows(std::move(sorted));
}

std::vector<uint64_t> Rows::TimesIn(uint64_t begin, uint64_t end) const {
  uint64_t first = 0;
  for (uint64_t behind = size(); first < behind;) {
    const uint64_t middle = first + (behind - first) / 2;
    if (At(middle) < begin) {
      first = middle + 1;
    } else {
      behind = middle;
    }
  }
  std::vector<uint64_t> times;
  for (uint64_t i = first; i < size(); ++i) {
    const uint64_t ordinal = At(i);
    if (ordinal >= end) break;
    if (times.empty()) times.resize(end - begin);
    ++times[ordinal - begin];
  }
  return times;
}

Result<View> Rows::Ascending() const {
  if (const View* view = this->view()) return *view;
  Picks sorted = *std::get<1>(rows_);
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return Fail(ErrorCode::kUsage, StrCat("record ", *twice, " occurs more than once in this view"),
                "pick each record once");
  }
  OrdinalSet::Builder builder;
  for (const uint64_t ordinal : sorted) builder.Add(ordinal);
  return View::Of(builder.Take());
}

bool Rows::IsAll(uint64_t records) const {
  const View* view = this->view();
  return view != nullptr && view->size() == records && (records == 0 || view->At(records - 1) == records - 1);
}

std::string Rows::Fingerprint() const {
  if (const View* view = this->view()) return view->Fingerprint();
  const Picks& picks = *std::get<1>(rows_);
  Xxh3Stream hash;
  hash.Add(ByteView(reinterpret_cast<const uint8_t*>(picks.data()), picks.size() * sizeof(uint64_t)));
  return StrCat("picked ", ToHex(ByteView(hash.Digest())));
}

std::vector<uint8_t> Rows::Serialize() const {
  const View* view = this->view();
  std::vector<uint8_t> bytes;
  if (view == nullptr) {
    bytes.push_back(static_cast<uint8_t>(Kind::kPicks));
    for (const uint64_t ordinal : *std::get<1>(rows_)) Append(ordinal, bytes);
  } else if (IsRange(*view)) {
    const uint64_t first = view->size() == 0 ? 0 : view->At(0);
    bytes.push_back(static_cast<uint8_t>(Kind::kRange));
    Append(first, bytes);
    Append(first + view->size(), bytes);
  } else {
    bytes = SetOf(*view).Serialize();
    bytes.insert(bytes.begin(), static_cast<uint8_t>(Kind::kSet));
  }
  return bytes;
}

Result<Rows> Rows::Parse(ByteView bytes, uint64_t records) {
  if (bytes.empty()) return NoRows();
  const ByteView rest = bytes.subspan(1);
  switch (static_cast<Kind>(bytes[0])) {
    case Kind::kRange: {
      if (rest.size() != 16) return NoRows();
      const uint64_t begin = LoadLe64(rest.data());
      const uint64_t end = LoadLe64(rest.data() + 8);
      if (begin > end || end > records) return NoRows();
      return Rows(View::Range(begin, end));
    }
    case Kind::kSet: {
      OFINDEX_ASSIGN(OrdinalSet set, OrdinalSet::Parse(rest));
      if (set.size() != 0 && set.Select(set.size() - 1) >= records) return NoRows();
      return Rows(View::Of(std::move(set)));
    }
    case Kind::kPicks: return ParsePicks(rest, records);
  }
  return NoRows();
}

}  // namespace ofindex::python
