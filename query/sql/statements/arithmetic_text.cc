#include "query/sql/statements/arithmetic_text.h"

namespace ofindex {
namespace {

using TokenKind = SqlToken::Kind;

/// Reads arithmetic from front to back. Each function accepts one part of it and moves on, or returns false.
class ArithmeticReader {
 public:
  ArithmeticReader(std::span<const SqlToken> tokens, size_t begin) : tokens_(tokens), at_(begin) {}

  [[nodiscard]] std::optional<size_t> End() {
    if (!TakeSum(0) || !has_column_ || !has_operator_) return std::nullopt;
    return at_;
  }

 private:
  static constexpr int kMaxDepth = 32;

  [[nodiscard]] bool IsSymbol(std::string_view symbols) const {
    return at_ < tokens_.size() && tokens_[at_].kind == TokenKind::kSymbol &&
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
    if (tokens_[at_].kind == TokenKind::kNumber) return ++at_ > 0;
    const bool cast = IsWord("cast");
    if (!IsSqlName(tokens_[at_++])) return false;
    if (!IsSymbol("(")) return TakeRestOfName();
    has_operator_ = true;
    return cast && TakeSymbol("(") && TakeSum(depth + 1) && TakeWord("as") &&
           (TakeWord("integer") || TakeWord("int") || TakeWord("real")) && TakeSymbol(")");
  }

  [[nodiscard]] bool TakeRestOfName() {
    has_column_ = true;
    if (!TakeSymbol(".")) return true;
    return at_ < tokens_.size() && IsSqlName(tokens_[at_++]) && !IsSymbol("(");
  }

  std::span<const SqlToken> tokens_;
  size_t at_;
  bool has_column_ = false;
  bool has_operator_ = false;
};

}  // namespace

std::optional<size_t> EndOfArithmetic(std::span<const SqlToken> tokens, size_t begin) {
  return ArithmeticReader(tokens, begin).End();
}

}  // namespace ofindex
