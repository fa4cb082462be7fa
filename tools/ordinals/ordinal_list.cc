#include "tools/ordinals/ordinal_list.h"

#include <algorithm>

#include "base/text.h"
#include "query/ordinals.h"
#include "tools/ordinals/field_reader.h"

namespace ofindex {
namespace {

using namespace std::string_view_literals;

constexpr auto kTextSeparators = " \t\r\n,\0"sv;
constexpr auto kJsonSpaces = " \t\r\n"sv;
constexpr auto kJsonWordEnds = " \t\r\n,:[]{}\"\0"sv;
constexpr size_t kMaxWordBytes = 64;
constexpr size_t kMaxOpen = 8;  // an ordinal lies no deeper
constexpr uint64_t kMaxNameBytes = 65'536;
constexpr size_t kMaxColumns = 10'000;
constexpr size_t kMaxNamed = 10;

bool IsOneOf(int byte, std::string_view set) {
  return byte != ByteReader::kEnd && set.find(static_cast<char>(byte)) != std::string_view::npos;
}

// Returns whether `byte`, the first of a list, begins a header. The name of its first column may be empty.
bool BeginsHeader(int byte) {
  if (byte == ByteReader::kEnd) return false;
  const char folded = Folded(static_cast<char>(byte));
  return byte > 0x7f || IsOneOf(byte, "\"_,") || (folded >= 'a' && folded <= 'z');
}

bool NamesOrdinals(std::string_view name) { return name == "ordinal" || name == "_id"; }

}  // namespace

Result<std::shared_ptr<OrdinalList>> OrdinalList::Open(const std::string& path, uint64_t size,
                                                       const std::atomic<bool>& cancel) {
  OFINDEX_ASSIGN(ByteReader bytes, ByteReader::Open(path, cancel));
  return std::make_shared<OrdinalList>(std::move(bytes), size);
}

Result<std::vector<uint64_t>> ReadOrdinals(const std::string& path, uint64_t size, const std::atomic<bool>& cancel) {
  OFINDEX_ASSIGN(const std::shared_ptr<OrdinalList> list, OrdinalList::Open(path, size, cancel));
  std::vector<uint64_t> ordinals;
  for (uint64_t ordinal = 0;;) {
    OFINDEX_ASSIGN(const bool more, list->Next(ordinal));
    if (!more) return ordinals;
    ordinals.push_back(ordinal);
  }
}

Result<bool> OrdinalList::Next(uint64_t& ordinal) {
  if (!std::exchange(begun_, true)) OFINDEX_TRY(Begin());
  if (column_) return NextInCsv(ordinal);
  return open_.empty() ? NextInText(ordinal) : NextInJson(ordinal);
}

// Moves past a byte order mark, spaces and a header.
Result<void> OrdinalList::Begin() {
  for (const char mark : "\xef\xbb\xbf"sv) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (byte != static_cast<uint8_t>(mark)) break;
    bytes_.Skip();
  }
  OFINDEX_ASSIGN(int byte, bytes_.Peek());
  while (IsOneOf(byte, kJsonSpaces)) {
    bytes_.Skip();
    OFINDEX_ASSIGN(byte, bytes_.Peek());
  }
  if (!BeginsHeader(byte)) return {};
  word_ = bytes_.place();
  std::vector<std::string> names;
  for (bool ends_row = false; !ends_row && names.size() < kMaxColumns;) {
    OFINDEX_ASSIGN(FieldRead field, ReadField(bytes_, kMaxNameBytes));
    ends_row = field.ends_row;
    names.push_back(std::move(field.text));
  }
  const auto found = std::find_if(names.begin(), names.end(), NamesOrdinals);
  if (found == names.end()) return NoOrdinals(names);
  if (names.size() > 1 || byte == '"') column_ = static_cast<size_t>(found - names.begin());
  return {};
}

// Returns the error for a list that begins with these words, or names of columns.
tl::unexpected<Error> OrdinalList::NoOrdinals(const std::vector<std::string>& names) const {
  if (names.size() == 1) {
    const std::string word = names.front().substr(0, names.front().find_first_of(kTextSeparators));
    return Wrong(StrCat("expected an ordinal, got '", Printable(word), "'"));
  }
  std::string listed;
  for (size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    listed += StrCat(i == 0 ? "'" : ", '", Printable(names[i]), "'");
  }
  if (names.size() > kMaxNamed) listed += StrCat(" and ", names.size() - kMaxNamed, " more");
  return Wrong(StrCat("expected a column 'ordinal' or '_id' among the ", names.size(), " columns, got ", listed));
}

Result<bool> OrdinalList::NextInCsv(uint64_t& ordinal) {
  for (;;) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (byte == ByteReader::kEnd) return false;
    word_ = bytes_.place();
    std::optional<std::string> word;
    bool ends_row = false;
    bool is_empty = false;  // an empty line
    size_t fields = 0;
    for (; !ends_row; ++fields) {
      const BytePlace place = bytes_.place();
      OFINDEX_ASSIGN(FieldRead field, ReadField(bytes_));
      ends_row = field.ends_row;
      is_empty = fields == 0 && ends_row && field.text.empty();
      if (fields != *column_) continue;
      word_ = place;
      word = std::move(field.text);
    }
    if (is_empty) continue;
    if (!word) return Wrong(StrCat("expected an ordinal in column ", *column_ + 1, ", got ", Counted(fields, "field")));
    OFINDEX_ASSIGN(ordinal, Parse(*word));
    return true;
  }
}

Result<bool> OrdinalList::NextInText(uint64_t& ordinal) {
  for (;;) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (byte == ByteReader::kEnd) return false;
    if (IsOneOf(byte, kTextSeparators)) {
      bytes_.Skip();
      continue;
    }
    if (byte == '{' || byte == '[') {
      OFINDEX_TRY(Enter());
      return NextInJson(ordinal);
    }
    OFINDEX_ASSIGN(const std::string word, TakeWord(kTextSeparators));
    OFINDEX_ASSIGN(ordinal, Parse(word));
    return true;
  }
}

// Continues in the innermost open value.
Result<bool> OrdinalList::NextInJson(uint64_t& ordinal) {
  while (!open_.empty()) {
    OFINDEX_ASSIGN(const int byte, PeekInJson());
    const bool is_object = open_.back().is_object;
    if (byte == (is_object ? '}' : ']')) {
      OFINDEX_TRY(Leave());
      continue;
    }
    if (open_.back().after_value) {
      if (byte != ',') return Wrong("expected a comma");
      bytes_.Skip();
    }
    open_.back().after_value = true;
    OFINDEX_ASSIGN(const bool found, is_object ? TakeMember(ordinal) : TakeElement(ordinal));
    if (found) return true;
  }
  return NextInText(ordinal);
}

Result<bool> OrdinalList::TakeElement(uint64_t& ordinal) {
  OFINDEX_ASSIGN(const int byte, PeekInJson());
  if (byte == '{' || byte == '[') {
    OFINDEX_TRY(Enter());
    return false;
  }
  return TakeNumber(ordinal);
}

Result<bool> OrdinalList::TakeMember(uint64_t& ordinal) {
  OFINDEX_ASSIGN(int byte, PeekInJson());
  if (byte != '"') return Wrong("expected a name in quotes");
  OFINDEX_ASSIGN(const std::string name, TakeString());
  OFINDEX_ASSIGN(byte, PeekInJson());
  if (byte != ':') return Wrong("expected a colon");
  bytes_.Skip();
  OFINDEX_ASSIGN(byte, PeekInJson());
  const bool lists = name == "ids" || name == "rows" || name == "records" || name == "batches";
  if (lists && open_.size() == 1 && byte == '[') {
    open_.back().found = true;
    OFINDEX_TRY(Enter());
    return false;
  }
  if (name == "_id") {
    open_.back().found = true;
    return TakeNumber(ordinal);
  }
  OFINDEX_TRY(SkipValue());
  return false;
}

Result<bool> OrdinalList::TakeNumber(uint64_t& ordinal) {
  OFINDEX_ASSIGN(const int byte, PeekInJson());
  word_ = bytes_.place();
  if (byte == '"') return Wrong("expected an ordinal, got a text");
  if (byte == '{' || byte == '[') return Wrong("expected an ordinal");
  OFINDEX_ASSIGN(const std::string word, TakeWord(kJsonWordEnds));
  OFINDEX_ASSIGN(ordinal, Parse(word));
  return true;
}

// Moves past the bracket that opens an array or object.
Result<void> OrdinalList::Enter() {
  word_ = bytes_.place();
  if (open_.size() == kMaxOpen) return Wrong("lists within lists");
  OFINDEX_ASSIGN(const int bracket, bytes_.Peek());
  bytes_.Skip();
  open_.push_back({.is_object = bracket == '{'});
  return {};
}

Result<void> OrdinalList::Leave() {
  word_ = bytes_.place();
  if (open_.back().is_object && !open_.back().found) return Wrong("an object without _id");
  bytes_.Skip();
  open_.pop_back();
  return {};
}

// Returns the next byte that is not a space. The text must not end here.
Result<int> OrdinalList::PeekInJson() {
  for (;;) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (!IsOneOf(byte, kJsonSpaces)) {
      word_ = bytes_.place();
      if (byte == ByteReader::kEnd) return Wrong("the list ends within a JSON value");
      return byte;
    }
    bytes_.Skip();
  }
}

Result<std::string> OrdinalList::TakeWord(std::string_view ends) {
  word_ = bytes_.place();
  std::string word;
  for (;;) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (byte == ByteReader::kEnd || IsOneOf(byte, ends) || word.size() == kMaxWordBytes) return word;
    word += static_cast<char>(byte);
    bytes_.Skip();
  }
}

// Moves past a JSON string. Returns its first bytes, as they are written.
Result<std::string> OrdinalList::TakeString() {
  bytes_.Skip();
  std::string text;
  for (bool escaped = false;;) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (byte == ByteReader::kEnd) return Wrong("a text is not closed");
    bytes_.Skip();
    if (byte == '"' && !escaped) return text;
    escaped = byte == '\\' && !escaped;
    if (text.size() < kMaxWordBytes) text += static_cast<char>(byte);
  }
}

// Moves past a JSON value. Only its brackets and texts matter.
Result<void> OrdinalList::SkipValue() {
  uint64_t depth = 0;
  do {
    OFINDEX_ASSIGN(const int byte, PeekInJson());
    if (byte == '"') {
      OFINDEX_TRY(TakeString());
    } else if (IsOneOf(byte, "{[")) {
      ++depth;
      bytes_.Skip();
    } else if (depth > 0 && IsOneOf(byte, "}]")) {
      --depth;
      bytes_.Skip();
    } else if (depth > 0 && IsOneOf(byte, ",:")) {
      bytes_.Skip();
    } else {
      OFINDEX_ASSIGN(const std::string word, TakeWord(kJsonWordEnds));
      if (word.empty()) return Wrong("not JSON");
    }
  } while (depth > 0);
  return {};
}

Result<uint64_t> OrdinalList::Parse(const std::string& word) const {
  auto range = ParseOrdinals(word, size_);
  if (range && range->end == range->begin + 1 && word.find(':') == std::string::npos) return range->begin;
  if (range) return Wrong("expected one ordinal, got a range");
  Error error = std::move(range).error();
  if (error.code == ErrorCode::kUsage) return Wrong(StrCat("expected an ordinal, got '", Printable(word), "'"));
  error.message = StrCat(Printable(bytes_.name()), "@", word_.byte, ": line ", word_.line, ": ", error.message);
  return tl::unexpected(std::move(error));
}

tl::unexpected<Error> OrdinalList::Wrong(std::string_view what) const {
  return Fail(
      ErrorCode::kUsage, StrCat(Printable(bytes_.name()), "@", word_.byte, ": line ", word_.line, ": ", what),
      "a list has ordinals with spaces or line ends between them, CSV with a column _id, or JSON lines with _id");
}

}  // namespace ofindex
