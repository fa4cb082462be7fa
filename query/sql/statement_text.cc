#include "query/sql/statement_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kEndless = ~uint64_t{0};

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool IsWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '_' || byte == '$' ||
         byte >= 0x80;
}

uint64_t SaturatingAdd(uint64_t a, uint64_t b) { return a > kEndless - b ? kEndless : a + b; }

// Returns the end of the whitespace or comment that begins at `at`; `at` itself if none does.
size_t EndOfSpace(std::string_view sql, size_t at) {
  if (IsSpace(sql[at])) return at + 1;
  const std::string_view rest = sql.substr(at);
  const std::string_view close = rest.starts_with("--") ? "\n" : "*/";
  if (!rest.starts_with("--") && !rest.starts_with("/*")) return at;
  const size_t end = sql.find(close, at + 2);
  return end == std::string_view::npos ? sql.size() : end + close.size();
}

/// A word, a quoted name, a string, or one other character.
struct Token {
  std::string_view text;
  bool bare = false;      ///< a word without quotes, which may be a keyword
  std::string name = {};  ///< of a word or quoted name, in lower case; otherwise empty

  [[nodiscard]] bool Is(std::string_view keyword) const { return bare && name == keyword; }
};

// Returns the end of the quoted text that begins at `at`. A doubled quote does not end it, except in brackets.
size_t EndOfQuoted(std::string_view sql, size_t at) {
  const char close = sql[at] == '[' ? ']' : sql[at];
  for (size_t end = at + 1; end < sql.size(); ++end) {
    if (sql[end] != close) continue;
    if (close == ']' || end + 1 == sql.size() || sql[end + 1] != close) return end + 1;
    ++end;
  }
  return sql.size();
}

// Returns the token at `at`, where there is no whitespace, and moves `at` to its end.
Token TakeToken(std::string_view sql, size_t& at) {
  const size_t begin = at;
  const char c = sql[begin];
  Token token;
  if (c == '"' || c == '`' || c == '[' || c == '\'') {
    at = EndOfQuoted(sql, begin);
    // A string is a name if only a name can stand there.
    for (size_t i = begin + 1; i + 1 < at; ++i) {
      token.name += Folded(sql[i]);
      if (c != '[' && sql[i] == c) ++i;
    }
  } else if (IsWord(c)) {
    while (at < sql.size() && IsWord(sql[at])) token.name += Folded(sql[at++]);
    token.bare = true;
  } else {
    ++at;
  }
  token.text = sql.substr(begin, at - begin);
  return token;
}

// Reads a statement token by token, and collects which common table expressions are used in the definition of which.
// Uses outside any definition belong to the statement itself.
class Expansion {
 public:
  explicit Expansion(uint64_t star_bytes) : star_bytes_(star_bytes) { levels_.emplace_back(); }

  void Read(const Token& token) {
    if (bytes_.size() <= Here().owner) bytes_.resize(Here().owner + 1, 0);
    const uint64_t bytes = token.text == "*" ? star_bytes_ : token.text.size() + 1;
    bytes_[Here().owner] = SaturatingAdd(bytes_[Here().owner], bytes);
    if (token.text == "(") {
      Open();
    } else if (token.text == ")") {
      if (levels_.size() > 1) levels_.pop_back();
    } else if (token.text == ",") {
      Here().table_next = Here().in_from;
      Here().definition_next = Here().in_with;
    } else if (!token.name.empty()) {
      ReadName(token);
    }
    body_next_ = body_next_ && token.text != "(" && token.text != ")";
    if (token.Is("as") || token.Is("materialized")) body_next_ = Here().in_with;
    // WITH and RECURSIVE are keywords only at these places; elsewhere they may be names.
    recursive_next_ = with_next_ && token.Is("with");
    with_next_ = token.text == "(" || token.Is("explain") || token.Is("plan");
  }

  // Returns the bytes of the statement with all definitions expanded.
  [[nodiscard]] uint64_t Bytes() {
    bytes_.resize(std::max<size_t>(numbers_.size() + 1, bytes_.size()), 0);
    std::vector<std::vector<size_t>> users(bytes_.size());
    std::vector<size_t> uses_open(bytes_.size(), 0);
    for (const auto& [owner, name] : uses_) {
      const auto used = numbers_.find(name);
      if (used == numbers_.end() || used->second == owner) continue;
      users[used->second].push_back(owner);
      ++uses_open[owner];
    }
    // Definitions whose own uses are all expanded, one after the other: each is expanded where it is used.
    std::vector<size_t> whole;
    for (size_t i = 0; i < bytes_.size(); ++i) {
      if (uses_open[i] == 0) whole.push_back(i);
    }
    for (size_t done = 0; done < whole.size(); ++done) {
      for (const size_t user : users[whole[done]]) {
        bytes_[user] = SaturatingAdd(bytes_[user], bytes_[whole[done]]);
        if (--uses_open[user] == 0) whole.push_back(user);
      }
    }
    return whole.size() == bytes_.size() ? bytes_[0] : kEndless;
  }

 private:
  /// The state inside one pair of parentheses.
  struct Level {
    size_t owner = 0;              // definition that contains this; 0: the statement
    size_t defined = 0;            // definition whose body comes next
    bool in_with = false;          // between WITH and its SELECT
    bool definition_next = false;  // the next name is that of a definition
    bool in_from = false;          // between FROM and WHERE
    bool table_next = false;       // the next name is that of a table
    bool list_next = false;        // after IN: a table, or a list in parentheses
  };

  Level& Here() { return levels_.back(); }

  void Open() {
    Level inner{.owner = Here().owner};
    if (body_next_) {
      inner.owner = Here().defined;
    } else if (Here().table_next) {
      inner.in_from = inner.table_next = true;  // tables in parentheses; a SELECT there resets this
    }
    Here().table_next = Here().list_next = false;
    levels_.push_back(inner);
  }

  void ReadName(const Token& token) {
    Level& here = Here();
    if (with_next_ && token.Is("with")) {
      here.in_with = here.definition_next = true;
    } else if (token.Is("select") || token.Is("values")) {
      here = {.owner = here.owner};
    } else if (token.Is("from") || token.Is("join")) {
      here.in_from = here.table_next = true;
    } else if (EndsFrom(token)) {
      here.in_from = here.table_next = false;
    } else if (token.Is("in")) {
      here.list_next = true;
    } else if (here.definition_next && !(recursive_next_ && token.Is("recursive"))) {
      here.defined = numbers_.try_emplace(token.name, numbers_.size() + 1).first->second;
      here.definition_next = false;
    } else if (here.table_next || here.list_next) {
      uses_.emplace_back(here.owner, token.name);
      here.table_next = here.list_next = false;
    }
  }

  static bool EndsFrom(const Token& token) {
    return token.Is("where") || token.Is("group") || token.Is("order") || token.Is("having") || token.Is("limit") ||
           token.Is("union") || token.Is("intersect") || token.Is("except");
  }

  const uint64_t star_bytes_;
  std::vector<Level> levels_;
  bool with_next_ = true;                               // WITH would be a keyword here
  bool recursive_next_ = false;                         // RECURSIVE would be one
  bool body_next_ = false;                              // after AS in a WITH: a parenthesis opens a definition
  std::map<std::string, size_t, std::less<>> numbers_;  // of definitions, by name, from 1
  std::vector<std::pair<size_t, std::string>> uses_;    // definition, and a name of a table in it
  std::vector<uint64_t> bytes_;                         // by definition, at first only their own
};

}  // namespace

size_t SkipBlank(std::string_view sql, size_t from) {
  while (from < sql.size()) {
    const size_t end = sql[from] == ';' ? from + 1 : EndOfSpace(sql, from);
    if (end == from) break;
    from = end;
  }
  return from;
}

uint64_t ExpandedBytes(std::string_view sql, uint64_t star_bytes) {
  Expansion expansion(star_bytes);
  for (size_t at = 0; at < sql.size();) {
    const size_t end = EndOfSpace(sql, at);
    if (end != at) {
      at = end;
    } else {
      expansion.Read(TakeToken(sql, at));
    }
  }
  return expansion.Bytes();
}

}  // namespace ofindex
