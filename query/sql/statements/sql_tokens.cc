#include "query/sql/statements/sql_tokens.h"

#include <algorithm>

#include "base/text.h"
#include "query/sql/statements/statement_text.h"

namespace ofindex {
namespace {

using TokenKind = SqlToken::Kind;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool BeginsWord(char c) {
  return Folded(c) != c || (c >= 'a' && c <= 'z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}
bool IsInWord(char c) { return BeginsWord(c) || IsDigit(c) || c == '$'; }

/// Reads one token at a time.
class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  [[nodiscard]] std::vector<SqlToken> All() {
    std::vector<SqlToken> tokens;
    int depth = 0;
    for (size_t at = SkipSpace(sql_, 0); at < sql_.size(); at = SkipSpace(sql_, at)) {
      SqlToken token = TokenAt(at);
      if (token.IsSymbol(')')) --depth;
      token.depth = depth;
      if (token.IsSymbol('(')) ++depth;
      at = token.end;
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

 private:
  [[nodiscard]] char At(size_t at) const { return at < sql_.size() ? sql_[at] : '\0'; }

  [[nodiscard]] SqlToken TokenAt(size_t begin) const {
    const char c = sql_[begin];
    if (BeginsWord(c)) {
      const size_t end = SkipWord(begin);
      return {TokenKind::kWord, begin, end, 0, Folded(sql_.substr(begin, end - begin))};
    }
    if (IsDigit(c) || (c == '.' && IsDigit(At(begin + 1))))
      return Written(TokenKind::kNumber, begin, EndOfNumber(begin));
    if (c == '"' || c == '`' || c == '[') return Quoted(begin, c == '[' ? ']' : c);
    if (c == '\'') return Written(TokenKind::kLiteral, begin, EndOfQuoted(begin, c));
    if (c == '?' || c == ':' || c == '@' || c == '$') return Written(TokenKind::kLiteral, begin, SkipWord(begin + 1));
    return Written(TokenKind::kSymbol, begin, begin + 1);
  }

  [[nodiscard]] SqlToken Written(TokenKind kind, size_t begin, size_t end) const {
    return {kind, begin, end, 0, std::string(sql_.substr(begin, end - begin))};
  }

  [[nodiscard]] size_t SkipWord(size_t at) const {
    while (IsInWord(At(at))) ++at;
    return at;
  }

  [[nodiscard]] size_t EndOfNumber(size_t at) const {
    const bool hexadecimal = At(at) == '0' && Folded(At(at + 1)) == 'x';
    while (IsInWord(At(at)) || At(at) == '.') {
      const bool exponent = !hexadecimal && Folded(At(at)) == 'e';
      ++at;
      if (exponent && (At(at) == '+' || At(at) == '-') && IsDigit(At(at + 1))) ++at;
    }
    return at;
  }

  // A quote that is doubled stands for itself, but not a bracket.
  [[nodiscard]] size_t EndOfQuoted(size_t begin, char quote) const {
    for (size_t at = begin + 1; at < sql_.size(); ++at) {
      if (sql_[at] != quote) continue;
      if (quote == ']' || At(at + 1) != quote) return at + 1;
      ++at;
    }
    return sql_.size();
  }

  [[nodiscard]] SqlToken Quoted(size_t begin, char quote) const {
    SqlToken token{TokenKind::kName, begin, EndOfQuoted(begin, quote), 0, {}};
    for (size_t at = begin + 1; at + 1 < token.end; ++at) {
      token.text += sql_[at];
      if (sql_[at] == quote && quote != ']') ++at;
    }
    return token;
  }

  std::string_view sql_;
};

// Returns whether a table is named at token `i`: after FROM, JOIN or IN, or in the list of tables after FROM.
bool IsPlaceOfTable(const std::vector<SqlToken>& tokens, size_t i) {
  if (i == 0) return false;
  const SqlToken& word = tokens[i - 1];
  if (word.IsWord("from") || word.IsWord("join") || word.IsWord("in")) return true;
  if (!word.IsSymbol(',')) return false;
  for (size_t k = i - 1; k-- > 0 && tokens[k].depth >= word.depth;) {
    if (tokens[k].depth > word.depth) continue;
    if (tokens[k].IsWord("from")) return true;
    if (tokens[k].IsWord("select") || tokens[k].IsWord("by") || tokens[k].IsWord("where")) return false;
  }
  return false;
}

}  // namespace

std::vector<SqlToken> TokensOf(std::string_view sql) { return Scanner(sql).All(); }

std::vector<std::string> NamesAfterUsing(const std::vector<SqlToken>& tokens) {
  std::vector<std::string> names;
  bool inside = false;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].IsSymbol('(')) inside = tokens[i - 1].IsWord("using");
    if (tokens[i].IsSymbol(')')) inside = false;
    if (inside && IsSqlName(tokens[i])) names.push_back(Folded(tokens[i].text));
  }
  return names;
}

std::vector<std::string> UnqualifiedTables(const std::vector<SqlToken>& tokens,
                                           std::span<const std::string_view> tables) {
  std::vector<std::string> found;
  for (const std::string_view table : tables) {
    bool reads = false;
    bool defines = false;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (!IsSqlName(tokens[i]) || Folded(tokens[i].text) != table) continue;
      const bool has_dot =
          (i + 1 < tokens.size() && tokens[i + 1].IsSymbol('.')) || (i > 0 && tokens[i - 1].IsSymbol('.'));
      const bool as = i + 2 < tokens.size() && tokens[i + 1].IsWord("as") && tokens[i + 2].IsSymbol('(');
      defines = defines || as;
      reads = reads || (!has_dot && IsPlaceOfTable(tokens, i));
    }
    if (reads && !defines) found.emplace_back(table);
  }
  return found;
}

bool MayReadTable(const std::vector<SqlToken>& tokens, std::span<const std::string_view> tables) {
  const auto any = [&](const auto& is) { return std::any_of(tokens.begin(), tokens.end(), is); };
  const auto is_table = [&](const SqlToken& token) {
    return IsSqlName(token) && std::find(tables.begin(), tables.end(), Folded(token.text)) != tables.end();
  };
  return any(is_table) && any([](const SqlToken& token) { return token.IsWord("select") || token.IsWord("in"); });
}

}  // namespace ofindex
