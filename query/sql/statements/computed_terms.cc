#include "query/sql/statements/computed_terms.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "base/text.h"
#include "query/sql/statements/arithmetic_text.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/sql/statements/statement_text.h"
#include "query/tables/records_table.h"

namespace ofindex {
namespace {

using TokenKind = SqlToken::Kind;

// Tokens [begin, end).
struct Span {
  size_t begin = 0;
  size_t end = 0;

  [[nodiscard]] bool empty() const { return begin == end; }
};

bool IsReal(const SqlToken& number) {
  const std::string text = Folded(number.text);
  return !text.starts_with("0x") && text.find_first_of(".e") != std::string::npos;
}

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
  if (from.empty() || !IsSqlName(tokens[from.begin]) || Folded(tokens[from.begin].text) != "records") return false;
  const size_t more = from.end - from.begin - 1;
  if (more == 0) return true;
  const bool as = tokens[from.begin + 1].IsWord("as");
  return more == (as ? 2U : 1U) && IsSqlName(tokens[from.end - 1]);
}

std::optional<Clauses> ClausesOf(const std::vector<SqlToken>& tokens) {
  constexpr std::array<std::string_view, 7> kBegins = {"from", "where", "group", "having", "order", "limit", ";"};
  const auto find = [&](auto accept) {
    return static_cast<size_t>(std::find_if(tokens.begin(), tokens.end(), accept) - tokens.begin());
  };
  const auto is_select = [](const SqlToken& token) { return token.IsWord("select"); };
  const auto is_other = [](const SqlToken& token) {
    return token.kind == TokenKind::kWord && std::find(kOther.begin(), kOther.end(), token.text) != kOther.end();
  };
  if (std::count_if(tokens.begin(), tokens.end(), is_select) != 1 || find(is_other) != tokens.size())
    return std::nullopt;
  const size_t select = find(is_select);
  // Returns whether a clause begins with token `i`, rather than IS DISTINCT FROM going on.
  const auto begins = [&](size_t i, std::string_view word) {
    const SqlToken& token = tokens[i];
    if (token.depth != 0 || (token.kind != TokenKind::kWord && token.kind != TokenKind::kSymbol)) return false;
    return token.text == word && !(i > 0 && word == "from" && tokens[i - 1].IsWord("distinct"));
  };
  // Returns what follows a clause's first word.
  const auto clause = [&](std::string_view word, bool by) -> Span {
    size_t begin = select;
    while (begin < tokens.size() && !begins(begin, word)) ++begin;
    begin = std::min(tokens.size(), begin + (by ? 2 : 1));
    size_t end = begin;
    while (end < tokens.size() &&
           std::none_of(kBegins.begin(), kBegins.end(), [&](std::string_view each) { return begins(end, each); }))
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
  constexpr std::array<std::string_view, 6> kNumberFunctions = {"count", "sum", "total", "avg", "min", "max"};
  return token.kind == TokenKind::kWord &&
         std::find(kNumberFunctions.begin(), kNumberFunctions.end(), token.text) != kNumberFunctions.end();
}

class Replacer {
 public:
  Replacer(std::string_view sql, std::span<const std::string> columns)
      : sql_(sql), columns_(columns), tokens_(TokensOf(sql)) {}

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
      if (const auto end = EndOfArithmetic(term); end == term.end) Add(term);
    }
    ReplaceArguments(clauses->having);
    for (const Span& term : TermsOf(tokens_, clauses->order)) {
      if (const auto end = EndOfArithmetic(term); end && IsDirection({*end, term.end})) {
        Add({term.begin, *end});
      } else {
        ReplaceArguments(term);
      }
    }
    if (replaced_.empty() || first_.size() > columns_.size() || !AliasesAreTerms(*clauses)) return std::nullopt;
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

  // Returns the end of the arithmetic that `span` begins with, if it does.
  [[nodiscard]] std::optional<size_t> EndOfArithmetic(Span span) const {
    return ofindex::EndOfArithmetic(std::span(tokens_).first(span.end), span.begin);
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
                         return token.kind == TokenKind::kWord &&
                                std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
                       });
  }

  // A whole result, perhaps with an alias.
  [[nodiscard]] bool ReplaceResult(Span term) {
    const std::optional<size_t> end = EndOfArithmetic(term);
    if (!end) return false;
    Span rest = {*end, term.end};
    if (!rest.empty() && tokens_[rest.begin].IsWord("as")) ++rest.begin;
    if (rest.end - rest.begin > 1 || (rest.empty() && *end != term.end)) return false;
    if (!rest.empty()) {
      const SqlToken& alias = tokens_[rest.begin];
      if (!IsSqlName(alias)) return false;
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
      const std::optional<size_t> end = EndOfArithmetic({begin, span.end});
      if (end && *end < span.end && tokens_[*end].IsSymbol(')')) Add({begin, *end});
    }
  }

  // Expressions of the same tokens get one column.
  void Add(Span span) {
    const auto same = [&](const Replaced& other) {
      return std::equal(At(span.begin), At(span.end), At(other.span.begin), At(other.span.end),
                        [](const SqlToken& a, const SqlToken& b) { return a.kind == b.kind && a.text == b.text; });
    };
    if (first_.size() > columns_.size()) return;  // too many
    const auto found = std::find_if(first_.begin(), first_.end(), same);
    const size_t column = found == first_.end() ? first_.size() : found->column;
    replaced_.push_back({span, column});
    if (found != first_.end()) return;
    first_.push_back(replaced_.back());
    terms_.expressions.push_back(ExpressionOf(span));
  }

  [[nodiscard]] std::vector<SqlToken>::const_iterator At(size_t token) const {
    return tokens_.begin() + static_cast<std::ptrdiff_t>(token);
  }

  [[nodiscard]] ComputedTerms::Expression ExpressionOf(Span span) const {
    ComputedTerms::Expression expression{.text = Text(span), .select = "SELECT "};
    size_t written = tokens_[span.begin].begin;
    for (size_t i = span.begin; i < span.end; ++i) {
      if (tokens_[i].kind != TokenKind::kNumber || !IsReal(tokens_[i])) continue;
      // SQLite takes a sign into the literal, which matters for -0.0.
      const bool negative =
          i > span.begin && tokens_[i - 1].IsSymbol('-') &&
          (i - 1 == span.begin || (tokens_[i - 2].kind == TokenKind::kSymbol && !tokens_[i - 2].IsSymbol(')')));
      const size_t begin = negative ? tokens_[i - 1].begin : tokens_[i].begin;
      expression.literals.push_back((negative ? "-" : "") + tokens_[i].text);
      expression.select += StrCat(sql_.substr(written, begin - written), "?", expression.literals.size());
      written = tokens_[i].end;
    }
    expression.select += StrCat(sql_.substr(written, tokens_[span.end - 1].end - written), " FROM ", from_);
    return expression;
  }

  // Returns false if an alias of a replaced result is used in an expression, where its affinity might matter. Literals
  // and quoted names of the same text are taken for it, which costs only speed.
  [[nodiscard]] bool AliasesAreTerms(const Clauses& clauses) const {
    std::vector<bool> whole(tokens_.size());
    std::set<std::string> names;
    for (const size_t alias : aliases_) {
      whole[alias] = true;
      names.insert(Folded(tokens_[alias].text));
    }
    for (const Span& term : TermsOf(tokens_, clauses.group)) {
      if (term.end - term.begin == 1) whole[term.begin] = true;
    }
    for (const Span& term : TermsOf(tokens_, clauses.order)) {
      if (!term.empty() && IsDirection({term.begin + 1, term.end})) whole[term.begin] = true;
    }
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::kSymbol && !whole[i] && names.contains(Folded(tokens_[i].text))) return false;
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
  std::string from_;
  std::vector<Replaced> replaced_;
  std::vector<Replaced> first_;  // of each expression
  std::vector<size_t> aliases_;  // tokens
  ComputedTerms terms_;
};

}  // namespace

std::optional<ComputedTerms> NameComputedTerms(std::string_view sql, std::span<const std::string> columns) {
  return Replacer(sql, columns).Replace();
}

}  // namespace ofindex
