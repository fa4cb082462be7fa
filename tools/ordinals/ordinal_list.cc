#include "tools/ordinals/ordinal_list.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/text.h"
#include "tools/ordinals/field_reader.h"

namespace ofindex {
namespace {

using namespace std::string_view_literals;

constexpr auto kTextSeparators = " \t\r\n,\0"sv;
constexpr uint64_t kMaxNameBytes = 65'536;
constexpr size_t kMaxHeaderColumns = 10'000;
constexpr size_t kMaxNamed = 10;
constexpr uint64_t kMaxHeld = 100'000'000;  // ordinals in memory; more if the dataset has more records

// Returns whether `byte`, the first of a list, begins a header. The name of its first column may be empty.
bool BeginsHeader(int byte) {
  if (byte == ByteReader::kEnd) return false;
  const char folded = Folded(static_cast<char>(byte));
  return byte > 0x7f || IsOneOf(byte, "\"_,") || (folded >= 'a' && folded <= 'z');
}

// Returns whether a list that begins with `bytes` is UTF-16, with or without a byte order mark. A NUL after each digit
// could also be a separator, unless one is after the line end, space or comma that follows them, too.
bool BeginsUtf16(std::span<const uint8_t> bytes) {
  if (bytes.size() < 2) return false;
  if ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)) return true;
  if (bytes[0] == 0) return bytes[1] != 0;  // big-endian
  for (size_t i = 0; i + 1 < bytes.size() && bytes[i + 1] == 0; i += 2) {
    if (!IsOneOf(bytes[i], "0123456789")) return bytes[i] != 0;
  }
  return false;
}

bool NamesOrdinals(std::string_view name) { return name == "ordinal" || name == "_id"; }

}  // namespace

Result<std::shared_ptr<OrdinalList>> OrdinalList::Open(const std::string& path, uint64_t size,
                                                       const std::atomic<bool>& cancel) {
  OFINDEX_ASSIGN(ByteReader bytes, ByteReader::Open(path, cancel));
  return std::make_shared<OrdinalList>(std::move(bytes), size);
}

Result<std::vector<uint64_t>> ReadOrdinals(const std::string& path, uint64_t size, const std::atomic<bool>& cancel,
                                           const Hint& hint) {
  OFINDEX_ASSIGN(const std::shared_ptr<OrdinalList> list, OrdinalList::Open(path, size, cancel));
  std::vector<uint64_t> ordinals;
  for (uint64_t ordinal = 0;;) {
    OFINDEX_ASSIGN(const bool more, list->Next(ordinal));
    if (!more) return ordinals;
    if (ordinals.size() == std::max(kMaxHeld, size)) {
      return Fail(ErrorCode::kLimit,
                  StrCat(path == "-" ? "standard input" : Printable(path), ": expected at most ",
                         FormatCount(ordinals.size()), " ordinals, because the list is read before its records"),
                  hint);
    }
    ordinals.push_back(ordinal);
  }
}

Result<bool> OrdinalList::Next(uint64_t& ordinal) {
  if (!std::exchange(begun_, true)) OFINDEX_TRY(Begin());
  return column_ ? NextInCsv(ordinal) : NextInText(ordinal);
}

Result<void> OrdinalList::CheckEncoding() {
  OFINDEX_ASSIGN(const std::span<const uint8_t> bytes, list_.bytes().Ahead());
  list_.Mark();
  return BeginsUtf16(bytes) ? Result<void>(list_.IsUtf16()) : Result<void>();
}

// Moves past a byte order mark, spaces and a header.
Result<void> OrdinalList::Begin() {
  OFINDEX_TRY(CheckEncoding());
  for (const char mark : "\xef\xbb\xbf"sv) {
    OFINDEX_ASSIGN(const int byte, list_.Peek());
    if (byte != static_cast<uint8_t>(mark)) break;
    list_.Skip();
  }
  OFINDEX_ASSIGN(const int first, list_.SkipAll(" \t\r\n"));
  if (!BeginsHeader(first)) return {};
  list_.Mark();
  const BytePlace place = list_.bytes().place();
  std::vector<std::string> names;
  std::string begun;  // of the next name
  if (first != '"') {
    OFINDEX_ASSIGN(begun, list_.TakeWord(kTextSeparators));
    OFINDEX_ASSIGN(int next, list_.Peek());
    if (NamesOrdinals(begun)) {
      if (next != ',') return {};
      list_.Skip();
      OFINDEX_ASSIGN(next, list_.SkipAll(" "));
      if (IsOneOf(next, "-0123456789")) return {};  // the commas of text, not of CSV
      names.push_back(std::exchange(begun, {}));
    }
  }
  OFINDEX_TRY(TakeNames(std::move(begun), names));
  list_.Mark(place);
  const auto found = std::find_if(names.begin(), names.end(), NamesOrdinals);
  if (found == names.end()) return NoOrdinals(names);
  column_ = static_cast<size_t>(found - names.begin());
  return {};
}

// Adds the rest of a header to `names`. `begun` is the begin of its next name.
Result<void> OrdinalList::TakeNames(std::string begun, std::vector<std::string>& names) {
  const bool is_word = !begun.empty();  // of a list that is no CSV, unless the header has more names
  for (;;) {
    if (!names.empty()) list_.Mark();
    if (names.size() == kMaxHeaderColumns) {
      return list_.TooMuch(StrCat("a header of over ", FormatCount(kMaxHeaderColumns), " columns"),
                           "make a list that has only the column _id");
    }
    OFINDEX_ASSIGN(FieldRead field, ReadField(list_.bytes(), kMaxNameBytes, std::exchange(begun, {})));
    names.push_back(std::move(field.text));
    switch (field.end) {
      case FieldEnd::kComma: break;
      case FieldEnd::kRow: return {};
      case FieldEnd::kUnended: return list_.Wrong("a quote is not closed");
      case FieldEnd::kCut:
        if (is_word && names.size() == 1) return {};
        return list_.TooMuch(StrCat("the name of column ", names.size(), " is too long; expected at most ",
                                    FormatCount(kMaxNameBytes), " bytes"),
                             "close its quotes, or make a list that has only the column _id");
    }
  }
}

// Returns the error for a list that begins with these words, or names of columns.
tl::unexpected<Error> OrdinalList::NoOrdinals(const std::vector<std::string>& names) const {
  if (names.size() == 1) {
    const std::string word = names.front().substr(0, names.front().find_first_of(kTextSeparators));
    return list_.Wrong(StrCat("expected an ordinal, got '", Printable(word), "'"));
  }
  std::string listed;
  for (size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    listed += StrCat(i == 0 ? "'" : ", '", Printable(names[i]), "'");
  }
  if (names.size() > kMaxNamed) listed += StrCat(" and ", names.size() - kMaxNamed, " more");
  return list_.Wrong(StrCat("expected a column 'ordinal' or '_id' among the ", names.size(), " columns, got ", listed));
}

Result<bool> OrdinalList::NextInCsv(uint64_t& ordinal) {
  for (;;) {
    OFINDEX_ASSIGN(const int byte, list_.Peek());
    if (byte == ByteReader::kEnd) return false;
    BytePlace place = list_.bytes().place();  // of the row, or of its ordinal
    std::optional<std::string> word;
    bool is_empty = false;  // an empty line
    size_t fields = 0;
    for (FieldEnd end = FieldEnd::kComma; end == FieldEnd::kComma; ++fields) {
      list_.Mark();
      const BytePlace begin = list_.bytes().place();
      OFINDEX_ASSIGN(FieldRead field, ReadField(list_.bytes()));
      end = field.end;
      if (end == FieldEnd::kUnended) return list_.Wrong("a quote is not closed");
      is_empty = fields == 0 && end == FieldEnd::kRow && field.text.empty();
      if (fields != *column_) continue;
      place = begin;
      word = std::move(field.text);
    }
    if (is_empty) continue;
    list_.Mark(place);
    if (!word) {
      return list_.Wrong(StrCat("expected an ordinal in column ", *column_ + 1, ", got ", Counted(fields, "field")));
    }
    OFINDEX_ASSIGN(ordinal, list_.Parse(*word));
    return true;
  }
}

// Moves past separators of text, and returns the byte that follows them. No list but UTF-16 has NULs after others.
Result<int> OrdinalList::SkipSeparators() {
  for (bool after_other = false;;) {
    OFINDEX_ASSIGN(const int byte, list_.Peek());
    if (!IsOneOf(byte, kTextSeparators)) return byte;
    if (byte == 0 && after_other) {
      list_.Mark();
      return list_.IsUtf16();
    }
    after_other = byte != 0;
    list_.Skip();
  }
}

Result<bool> OrdinalList::NextInText(uint64_t& ordinal) {
  for (;;) {
    if (json_.is_open()) {
      OFINDEX_ASSIGN(const bool found, json_.Next(ordinal));
      if (found) return true;
    }
    OFINDEX_ASSIGN(const int byte, SkipSeparators());
    if (byte == ByteReader::kEnd) return false;
    if (byte == '{' || byte == '[') {
      OFINDEX_TRY(json_.Enter());
      continue;
    }
    OFINDEX_ASSIGN(const std::string word, list_.TakeWord(kTextSeparators));
    OFINDEX_ASSIGN(ordinal, list_.Parse(word));
    return true;
  }
}

}  // namespace ofindex
