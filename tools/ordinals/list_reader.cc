#include "tools/ordinals/list_reader.h"

#include "base/text.h"
#include "query/ordinals.h"

namespace ofindex {

bool IsOneOf(int byte, std::string_view set) {
  return byte != ByteReader::kEnd && set.find(static_cast<char>(byte)) != std::string_view::npos;
}

Result<int> ListReader::SkipAll(std::string_view set) {
  for (;;) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (!IsOneOf(byte, set)) return byte;
    bytes_.Skip();
  }
}

Result<std::string> ListReader::TakeWord(std::string_view ends) {
  Mark();
  std::string word;
  for (;;) {
    OFINDEX_ASSIGN(const int byte, bytes_.Peek());
    if (byte == ByteReader::kEnd || IsOneOf(byte, ends) || word.size() > kMaxOrdinalBytes) return word;
    word += static_cast<char>(byte);
    bytes_.Skip();
  }
}

Result<uint64_t> ListReader::Parse(const std::string& word) const {
  if (word.size() > kMaxOrdinalBytes) {
    return Wrong(StrCat("expected an ordinal of at most ", kMaxOrdinalBytes, " bytes, got '",
                        Printable(word.substr(0, kMaxOrdinalBytes)), "...'"));
  }
  auto range = ParseOrdinals(word, size_);
  if (range && range->end == range->begin + 1 && word.find(':') == std::string::npos) return range->begin;
  if (range) return Wrong("expected one ordinal, got a range");
  Error error = std::move(range).error();
  if (error.code == ErrorCode::kUsage) return Wrong(StrCat("expected an ordinal, got '", Printable(word), "'"));
  error.message = AtMark(error.message);
  return tl::unexpected(std::move(error));
}

tl::unexpected<Error> ListReader::Wrong(std::string_view what) const {
  return Fail(
      ErrorCode::kUsage, AtMark(what),
      "a list has ordinals with spaces or line ends between them, CSV with a column _id, or JSON lines with _id");
}

tl::unexpected<Error> ListReader::TooMuch(std::string_view what, std::string hint) const {
  return Fail(ErrorCode::kLimit, AtMark(what), std::move(hint));
}

tl::unexpected<Error> ListReader::IsUtf16() const {
  return Fail(ErrorCode::kUsage, AtMark("NUL bytes or a byte order mark as in UTF-16; expected text in UTF-8"),
              "convert the list with `iconv -f UTF-16 -t UTF-8`, or UTF-16LE if it has no byte order mark");
}

std::string ListReader::AtMark(std::string_view what) const {
  return StrCat(Printable(bytes_.name()), "@", marked_.byte, ": line ", marked_.line, ": ", what);
}

}  // namespace ofindex
