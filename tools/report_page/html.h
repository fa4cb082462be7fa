#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// A word of HTML that the program itself contains: the name of an element or attribute. Never text from elsewhere.
class HtmlWord {
 public:
  template <size_t n>
  constexpr HtmlWord(const char (&literal)[n]) : text_(literal, n - 1) {}

  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// Writes an HTML document. Elements are closed in the order in which they were opened, and every text and every value
/// of an attribute is escaped: any bytes may be passed, and none of them can end an element, an attribute or a line of
/// the browser's error log. Characters that HTML does not allow, and bytes that are not UTF-8, become \xNN; characters
/// that change the direction of what follows become \u202E. Moves, does not copy; not thread-safe.
class Html {
 public:
  /// Takes the document, piece by piece.
  using Sink = std::function<Result<void>(std::string_view)>;

  /// An attribute and its value, which is escaped.
  struct Attribute {
    HtmlWord name;
    std::string_view value;
  };
  using Attributes = std::initializer_list<Attribute>;

  explicit Html(Sink sink) : sink_(std::move(sink)) {}

  /// Writes the line that precedes the first element.
  void Doctype();

  /// Opens an element; Close() ends the one that was opened last.
  Html& Open(HtmlWord element, Attributes attributes = {});
  Html& Close();

  /// Writes an element without content, such as <meta>.
  Html& Void(HtmlWord element, Attributes attributes = {});

  Html& Text(std::string_view text);

  /// Writes an element with a text in it.
  Html& Element(HtmlWord element, std::string_view text) { return Element(element, {}, text); }
  Html& Element(HtmlWord element, Attributes attributes, std::string_view text) {
    return Open(element, attributes).Text(text).Close();
  }

  /// Writes an element <style>, whose content HTML does not escape: one of the program itself, without '<'.
  Html& Style(HtmlWord css);

  /// Returns the number of elements that are open.
  [[nodiscard]] size_t depth() const { return open_.size(); }

  /// Returns the first error of the sink, which is not called again after it.
  [[nodiscard]] const Result<void>& written() const { return written_; }

  /// Closes all elements and passes the rest to the sink. Errors: those of the sink.
  [[nodiscard]] Result<void> Finish();

 private:
  void Start(HtmlWord element, Attributes attributes);
  void Escaped(std::string_view text);
  void Flush();

  Sink sink_;
  std::string buffer_;
  std::vector<std::string_view> open_;
  Result<void> written_;
};

/// Returns `text` with the characters replaced that a page must not contain, as Html does, but not escaped.
[[nodiscard]] std::string AllowedText(std::string_view text);

}  // namespace ofindex
