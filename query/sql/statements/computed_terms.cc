#include "query/sql/statements/computed_terms.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/sql/statements/statement_text.h"
#include "query/tables/records_table.h"

namespace ofindex {
namespace {

using Kind = SqlToken::Kind;

// Tokens [begin, end).
struct Span {
  size_t begin = 0;
  size_t end = 0;

  [[nodiscard]] bool empty() const { return begin == end; }
};

bool IsName(const SqlToken& token) { return token.kind == Kind::kWord || token.kind == Kind::kName; }

bool IsReal(const SqlToken& number) {
  const std::string text = Folded(number.text);
  return !text.starts_with("0x") && text.find_first_of(".e") != std::string::npos;
}

/// Finds the end of the arithmetic that begins at a token.
class ArithmeticReader {
 public:
  explicit ArithmeticReader(const std::vector<SqlToken>& tokens) : tokens_(tokens) {}

  // Returns the end of the longest arithmetic that begins at `begin`, if it has a column and an operator.
  [[nodiscard]] std::optional<size_t> EndOf(size_t begin) {
    at_ = begin;
    has_column_ = false;
    has_operator_ = false;
    if (!TakeSum(0) || !has_column_ || !has_operator_) return std::nullopt;
    return at_;
  }

 private:
  static constexpr int kMaxDepth = 32;

  [[nodiscard]] bool IsSymbol(std::string_view symbols) const {
    return at_ < tokens_.size() && tokens_[at_].kind == Kind::kSymbol &&
           symbols.find(tokens_[at_].text[0]) != std::string_view::npos;
  }
  [[nodiscard]] bool IsWord(std::string_view word) const { return at_ < tokens_.size() && tokens_[at_].IsWord(word); }

  [[nodiscard]] bool TakeSymbol(std::string_view symbols) {
    if (!IsSymbol(symbols)) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] bool TakeWord(std::string_view word) {
    if (!IsWord(word)) return false;
    ++at_;
    return true;
  }

  // Operators of different precedence are alike here: SQLite reads the text again.
  [[nodiscard]] bool TakeSum(int depth) {
    if (!TakeOperand(depth)) return false;
    while (TakeSymbol("+-*/%")) {
      has_operator_ = true;
      if (!TakeOperand(depth)) return false;
    }
    return true;
  }

  [[nodiscard]] bool TakeOperand(int depth) {
    while (TakeSymbol("+-")) has_operator_ = true;
    if (depth == kMaxDepth || at_ == tokens_.size()) return false;
    if (TakeSymbol("(")) return TakeSum(depth + 1) && TakeSymbol(")");
    if (tokens_[at_].kind == Kind::kNumber) return ++at_ > 0;
    const bool cast = IsWord("cast");
    if (!IsName(tokens_[at_++])) return false;
    if (!IsSymbol("(")) return TakeRestOfName();
    has_operator_ = true;
    return cast && TakeSymbol("(") && TakeSum(depth + 1) && TakeWord("as") &&
           (TakeWord("integer") || TakeWord("int") || TakeWord("real")) && TakeSymbol(")");
  }

  [[nodiscard]] bool TakeRestOfName() {
    has_column_ = true;
    if (!TakeSymbol(".")) return true;
    return at_ < tokens_.size() && IsName(tokens_[at_++]) && !IsSymbol("(");
  }

  const std::vector<SqlToken>& tokens_;
  size_t at_ = 0;
  bool has_column_ = false;
  bool has_operator_ = false;
};

/// The clauses of a statement that is one SELECT over `records`.
struct Clauses {
  Span results;
  Span from;
  Span group;
  Span having;
  Span order;
};

// Words after which a statement may have more than one SELECT, or functions over other rows than those of a group.
constexpr std::array<std::string_view, 8> kOther = {"union", "intersect", "except", "values",
                                                    "with",  "over",      "filter", "window"};

// Returns whether [begin, end) is `records`, perhaps with an alias.
bool IsRecords(const std::vector<SqlToken>& tokens, Span from) {
  if (from.empty() || !IsName(tokens[from.begin]) || Folded(tokens[from.begin].text) != "records") return false;
  const size_t more = from.end - from.begin - 1;
  if (more == 0) return true;
  const bool as = tokens[from.begin + 1].IsWord("as");
  return more == (as ? 2U : 1U) && IsName(tokens[from.end - 1]);
}

std::optional<Clauses> ClausesOf(const std::vector<SqlToken>& tokens) {
  constexpr std::array<std::string_view, 7> kBegins = {"from", "where", "group", "having", "order", "limit", ";"};
  const auto find = [&](auto accept) {
    return static_cast<size_t>(std::find_if(tokens.begin(), tokens.end(), accept) - tokens.begin());
  };
  const auto is_select = [](const SqlToken& token) { return token.IsWord("select"); };
  const auto is_other = [](const SqlToken& token) {
    return token.kind == Kind::kWord && std::find(kOther.begin(), kOther.end(), token.text) != kOther.end();
  };
  if (std::count_if(tokens.begin(), tokens.end(), is_select) != 1 || find(is_other) != tokens.size())
    return std::nullopt;
  const size_t select = find(is_select);
  // Returns what follows a clause's first word.
  const auto clause = [&](std::string_view word, bool by) -> Span {
    size_t begin = select;
    const auto begins = [](const SqlToken& token, std::string_view of) {
      return token.depth == 0 && (token.kind == Kind::kWord || token.kind == Kind::kSymbol) && token.text == of;
    };
    while (begin < tokens.size() && !begins(tokens[begin], word)) ++begin;
    begin = std::min(tokens.size(), begin + (by ? 2 : 1));
    size_t end = begin;
    while (end < tokens.size() && std::none_of(kBegins.begin(), kBegins.end(),
                                               [&](std::string_view each) { return begins(tokens[end], each); }))
      ++end;
    return {begin, end};
  };
  Clauses clauses{clause("select", false), clause("from", false), clause("group", true), clause("having", false),
                  clause("order", true)};
  Span& results = clauses.results;
  if (!results.empty() && (tokens[results.begin].IsWord("distinct") || tokens[results.begin].IsWord("all")))
    ++results.begin;
  if (results.empty() || !IsRecords(tokens, clauses.from)) return std::nullopt;
  return clauses;
}

// Returns the terms of a clause, which commas separate.
std::vector<Span> TermsOf(const std::vector<SqlToken>& tokens, Span clause) {
  std::vector<Span> terms;
  if (clause.empty()) return terms;
  terms.push_back({clause.begin, clause.begin});
  for (size_t i = clause.begin; i < clause.end; ++i) {
    terms.back().end = i;
    if (tokens[i].depth == 0 && tokens[i].IsSymbol(',')) terms.push_back({i + 1, i + 1});
  }
  terms.back().end = clause.end;
  return terms;
}

bool IsAggregate(const SqlToken& token) {
  constexpr std::array<std::string_view, 6> kFunctions = {"count", "sum", "total", "avg", "min", "max"};
  return token.kind == Kind::kWord && std::find(kFunctions.begin(), kFunctions.end(), token.text) != kFunctions.end();
}

class Replacer {
 public:
  Replacer(std::string_view sql, std::span<const std::string> columns)
      : sql_(sql), columns_(columns), tokens_(TokensOf(sql)), arithmetic_(tokens_) {}

  [[nodiscard]] std::optional<ComputedTerms> Replace() {
    const std::optional<Clauses> clauses = ClausesOf(tokens_);
    if (!clauses) return std::nullopt;
    from_ = Text(clauses->from);
    for (const Span& term : TermsOf(tokens_, clauses->results)) {
      if (term.empty() || tokens_[term.end - 1].IsSymbol('*')) return std::nullopt;  // all columns
      const size_t before = replaced_.size();
      if (!ReplaceResult(term)) ReplaceArguments(term);
      terms_.names.push_back(replaced_.size() > before ? std::optional<std::string>(NameOf(term)) : std::nullopt);
    }
    for (const Span& term : TermsOf(tokens_, clauses->group)) {
      if (const auto end = arithmetic_.EndOf(term.begin); end == term.end) Add({term.begin, *end});
    }
    ReplaceArguments(clauses->having);
    for (const Span& term : TermsOf(tokens_, clauses->order)) {
      if (const auto end = arithmetic_.EndOf(term.begin); end && IsDirection({*end, term.end})) {
        Add({term.begin, *end});
      } else {
        ReplaceArguments(term);
      }
    }
    if (replaced_.empty() || terms_.expressions.size() > columns_.size() || !AliasesAreTerms(*clauses))
      return std::nullopt;
    Write();
    return std::move(terms_);
  }

 private:
  struct Replaced {
    Span span;
    size_t column = 0;
  };

  [[nodiscard]] std::string Text(Span span) const {
    return std::string(sql_.substr(tokens_[span.begin].begin, tokens_[span.end - 1].end - tokens_[span.begin].begin));
  }

  // SQLite names a result after its text, together with comments after it.
  [[nodiscard]] std::string NameOf(Span result) const {
    const size_t begin = tokens_[result.begin].begin;
    std::string_view text = sql_.substr(begin, tokens_[result.end].begin - begin);
    while (IsSpace(text.back())) text.remove_suffix(1);
    return std::string(text);
  }

  // ASC, DESC, NULLS FIRST, NULLS LAST, or nothing.
  [[nodiscard]] bool IsDirection(Span rest) const {
    constexpr std::array<std::string_view, 5> kWords = {"asc", "desc", "nulls", "first", "last"};
    return std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(rest.begin),
                       tokens_.begin() + static_cast<std::ptrdiff_t>(rest.end), [&](const SqlToken& token) {
                         return token.kind == Kind::kWord &&
                                std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
                       });
  }

  // A whole result, perhaps with an alias.
  [[nodiscard]] bool ReplaceResult(Span term) {
    const std::optional<size_t> end = arithmetic_.EndOf(term.begin);
    if (!end || *end > term.end) return false;
    Span rest = {*end, term.end};
    if (!rest.empty() && tokens_[rest.begin].IsWord("as")) ++rest.begin;
    if (rest.end - rest.begin > 1 || (rest.empty() && *end != term.end)) return false;
    if (!rest.empty()) {
      const SqlToken& alias = tokens_[rest.begin];
      if (!IsName(alias)) return false;
      aliases_.push_back(rest.begin);
    }
    Add({term.begin, *end});
    return true;
  }

  // The arguments of all aggregate functions in `span`.
  void ReplaceArguments(Span span) {
    for (size_t i = span.begin; i + 1 < span.end; ++i) {
      if (!IsAggregate(tokens_[i]) || !tokens_[i + 1].IsSymbol('(')) continue;
      size_t begin = i + 2;
      if (begin < span.end && tokens_[begin].IsWord("distinct")) ++begin;
      const std::optional<size_t> end = arithmetic_.EndOf(begin);
      if (end && *end < span.end && tokens_[*end].IsSymbol(')')) Add({begin, *end});
    }
  }

  // Expressions of the same tokens get one column.
  void Add(Span span) {
    std::string tokens;
    for (size_t i = span.begin; i < span.end; ++i) tokens += StrCat(tokens_[i].text, "\n");
    const auto found = std::find(written_.begin(), written_.end(), tokens);
    const auto column = static_cast<size_t>(found - written_.begin());
    if (found == written_.end()) {
      written_.push_back(std::move(tokens));
      terms_.expressions.push_back(ExpressionOf(span, Text(span)));
    }
    replaced_.push_back({span, column});
  }

  [[nodiscard]] ComputedTerms::Expression ExpressionOf(Span span, const std::string& text) const {
    ComputedTerms::Expression expression{.text = text, .select = "SELECT "};
    size_t written = tokens_[span.begin].begin;
    for (size_t i = span.begin; i < span.end; ++i) {
      if (tokens_[i].kind != Kind::kNumber || !IsReal(tokens_[i])) continue;
      // SQLite takes a sign into the literal, which matters for -0.0.
      const bool negative =
          i > span.begin && tokens_[i - 1].IsSymbol('-') &&
          (i - 1 == span.begin || (tokens_[i - 2].kind == Kind::kSymbol && !tokens_[i - 2].IsSymbol(')')));
      const size_t begin = negative ? tokens_[i - 1].begin : tokens_[i].begin;
      expression.literals.push_back((negative ? "-" : "") + tokens_[i].text);
      expression.select += StrCat(sql_.substr(written, begin - written), "?", expression.literals.size());
      written = tokens_[i].end;
    }
    expression.select += StrCat(sql_.substr(written, tokens_[span.end - 1].end - written), " FROM ", from_);
    return expression;
  }

  // Returns false if an alias of a replaced result is used in an expression, where its affinity might matter. Equal
  // names in quotes that SQLite reads as something else do not hurt.
  [[nodiscard]] bool AliasesAreTerms(const Clauses& clauses) const {
    std::vector<size_t> whole = aliases_;
    for (const Span& term : TermsOf(tokens_, clauses.group)) {
      if (term.end - term.begin == 1) whole.push_back(term.begin);
    }
    for (const Span& term : TermsOf(tokens_, clauses.order)) {
      if (!term.empty() && IsDirection({term.begin + 1, term.end})) whole.push_back(term.begin);
    }
    for (const size_t alias : aliases_) {
      for (size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].kind == Kind::kSymbol || Folded(tokens_[i].text) != Folded(tokens_[alias].text)) continue;
        if (std::find(whole.begin(), whole.end(), i) == whole.end()) return false;
      }
    }
    return true;
  }

  void Write() {
    std::sort(replaced_.begin(), replaced_.end(),
              [](const Replaced& a, const Replaced& b) { return a.span.begin < b.span.begin; });
    size_t written = 0;
    for (const Replaced& each : replaced_) {
      terms_.sql += StrCat(sql_.substr(written, tokens_[each.span.begin].begin - written), " ",
                           QuotedName(columns_[each.column]), " ");
      written = tokens_[each.span.end - 1].end;
    }
    terms_.sql += sql_.substr(written);
  }

  std::string_view sql_;
  std::span<const std::string> columns_;
  std::vector<SqlToken> tokens_;
  ArithmeticReader arithmetic_;
  std::string from_;
  std::vector<Replaced> replaced_;
  std::vector<std::string> written_;  // the tokens of each expression
  std::vector<size_t> aliases_;       // tokens
  ComputedTerms terms_;
};

}  // namespace

std::optional<ComputedTerms> NameComputedTerms(std::string_view sql, std::span<const std::string> columns) {
  return Replacer(sql, columns).Replace();
}

}  // namespace ofindex
