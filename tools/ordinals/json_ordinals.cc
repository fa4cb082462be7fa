#include "tools/ordinals/json_ordinals.h"

#include <string_view>

namespace ofindex {
namespace {

using namespace std::string_view_literals;

constexpr auto kJsonSpaces = " \t\r\n"sv;
constexpr auto kJsonWordEnds = " \t\r\n,:[]{}\"\0"sv;
constexpr size_t kMaxOpen = 8;  // an ordinal lies no deeper
constexpr size_t kMaxKeyBytes = 64;

}  // namespace

Result<bool> JsonOrdinals::Next(uint64_t& ordinal) {
  while (!open_.empty()) {
    OFINDEX_ASSIGN(const int byte, PeekInside());
    const bool is_object = open_.back().is_object;
    if (byte == (is_object ? '}' : ']')) {
      OFINDEX_TRY(Leave());
      continue;
    }
    if (open_.back().after_value) {
      if (byte != ',') return list_.Wrong("expected a comma");
      list_.Skip();
    }
    open_.back().after_value = true;
    OFINDEX_ASSIGN(const bool found, is_object ? TakeMember(ordinal) : TakeElement(ordinal));
    if (found) return true;
  }
  return false;
}

Result<bool> JsonOrdinals::TakeElement(uint64_t& ordinal) {
  OFINDEX_ASSIGN(const int byte, PeekInside());
  if (byte == '{' || byte == '[') {
    OFINDEX_TRY(Enter());
    return false;
  }
  return TakeNumber(ordinal);
}

Result<bool> JsonOrdinals::TakeMember(uint64_t& ordinal) {
  OFINDEX_ASSIGN(int byte, PeekInside());
  if (byte != '"') return list_.Wrong("expected a name in quotes");
  OFINDEX_ASSIGN(const std::string name, TakeString());
  OFINDEX_ASSIGN(byte, PeekInside());
  if (byte != ':') return list_.Wrong("expected a colon");
  list_.Skip();
  OFINDEX_ASSIGN(byte, PeekInside());
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

Result<bool> JsonOrdinals::TakeNumber(uint64_t& ordinal) {
  OFINDEX_ASSIGN(const int byte, PeekInside());
  if (byte == '"') return list_.Wrong("expected an ordinal, got a text");
  if (byte == '{' || byte == '[') return list_.Wrong("expected an ordinal");
  OFINDEX_ASSIGN(const std::string word, list_.TakeWord(kJsonWordEnds));
  OFINDEX_ASSIGN(ordinal, list_.Parse(word));
  return true;
}

Result<void> JsonOrdinals::Enter() {
  list_.Mark();
  if (open_.size() == kMaxOpen) return list_.Wrong("lists within lists");
  OFINDEX_ASSIGN(const int bracket, list_.Peek());
  list_.Skip();
  open_.push_back({.is_object = bracket == '{'});
  return {};
}

Result<void> JsonOrdinals::Leave() {
  if (open_.back().is_object && !open_.back().found) return list_.Wrong("an object without _id");
  list_.Skip();
  open_.pop_back();
  return {};
}

// Marks and returns the next byte that is not a space. The list must not end here.
Result<int> JsonOrdinals::PeekInside() {
  OFINDEX_ASSIGN(const int byte, list_.SkipAll(kJsonSpaces));
  list_.Mark();
  if (byte == ByteReader::kEnd) return list_.Wrong("the list ends within a JSON value");
  return byte;
}

// Moves past a JSON string. Returns its first bytes, as they are written.
Result<std::string> JsonOrdinals::TakeString() {
  list_.Skip();
  std::string text;
  for (bool escaped = false;;) {
    OFINDEX_ASSIGN(const int byte, list_.Peek());
    if (byte == ByteReader::kEnd) return list_.Wrong("a text is not closed");
    list_.Skip();
    if (byte == '"' && !escaped) return text;
    escaped = byte == '\\' && !escaped;
    if (text.size() < kMaxKeyBytes) text += static_cast<char>(byte);
  }
}

// Moves past a JSON value. Only its brackets and texts matter.
Result<void> JsonOrdinals::SkipValue() {
  uint64_t depth = 0;
  do {
    OFINDEX_ASSIGN(const int byte, PeekInside());
    if (byte == '"') {
      OFINDEX_TRY(TakeString());
    } else if (IsOneOf(byte, "{[")) {
      ++depth;
      list_.Skip();
    } else if (depth > 0 && IsOneOf(byte, "}]")) {
      --depth;
      list_.Skip();
    } else if (depth > 0 && IsOneOf(byte, ",:")) {
      list_.Skip();
    } else {
      OFINDEX_ASSIGN(std::string word, list_.TakeWord(kJsonWordEnds));
      if (word.empty()) return list_.Wrong("not JSON");
      while (!word.empty()) {
        OFINDEX_ASSIGN(word, list_.TakeWord(kJsonWordEnds));
      }
    }
  } while (depth > 0);
  return {};
}

}  // namespace ofindex
