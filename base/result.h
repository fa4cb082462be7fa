#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace ofindex {

/// The kinds of failure. Each code has one meaning, one exit code of the command and one Python exception.
enum class ErrorCode {
  kUsage,        ///< an argument makes no sense                                  2    ValueError
  kOutOfRange,   ///< an ordinal is not in the dataset                            2    IndexError
  kDamage,       ///< the requested bytes are damaged, or marked bad              3    DamageError
  kFormat,       ///< not a record file, or not of the expected format            3    FormatError
  kFeature,      ///< a feature of a record is not as requested                   3    FeatureError
  kNotFound,     ///< there is no index                                           4    FileNotFoundError
  kIndex,        ///< the index is corrupt, foreign or of another version         4    Error
  kStale,        ///< a shard is no longer the file that was indexed              4    StaleError
  kIo,           ///< the operating system refused a read or a write              5    OSError
  kLocked,       ///< another process builds the same index                       6    LockError
  kLimit,        ///< a limit was reached: memory, maps, descriptors, time        7    LimitError
  kInterrupted,  ///< the caller asked to stop                                    130  KeyboardInterrupt
};

/// Returns the exit code of the command for `code`; see docs/cli.md.
[[nodiscard]] constexpr int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kOutOfRange: return 2;
    case ErrorCode::kDamage:
    case ErrorCode::kFormat:
    case ErrorCode::kFeature: return 3;
    case ErrorCode::kNotFound:
    case ErrorCode::kIndex:
    case ErrorCode::kStale: return 4;
    case ErrorCode::kIo: return 5;
    case ErrorCode::kLocked: return 6;
    case ErrorCode::kLimit: return 7;
    case ErrorCode::kInterrupted: return 130;
  }
  return 5;
}

/// Advice on how to fix a failure, as a value. A string literal may mention options of the command; the Python package
/// replaces them with its own argument names. Text built at run time may contain names and paths, so it is never
/// translated, and must not mention options.
class Hint {
 public:
  Hint() = default;
  template <size_t n>
  Hint(const char (&literal)[n]) : text_(literal), is_literal_(true) {}
  Hint(std::string made) : text_(std::move(made)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_literal() const { return is_literal_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }

 private:
  std::string text_;
  bool is_literal_ = false;
};

/// One failure, as a value. `message` reads `<path>@<byte>: what; expected X, got Y`, and mentions options of the
/// command only if it is built in tools/; `hint` gives the command that fixes the failure (empty if there is none).
struct Error {
  ErrorCode code;
  std::string message;
  Hint hint = {};
  int system = 0;  ///< errno, if the operating system reported one
};

/// The outcome of an operation that can fail. Only the interface shared with std::expected is used, so moving to C++23
/// will change only this alias.
template <typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, Hint hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint)});
}

}  // namespace ofindex

#define OFINDEX_CONCAT_(a, b) a##b
#define OFINDEX_CONCAT(a, b) OFINDEX_CONCAT_(a, b)

/// Evaluates `expr`; if it is an error, returns that error from the enclosing function. Never copies a Result: the
/// copy constructor of tl::expected ends the process if it runs out of memory.
#define OFINDEX_TRY(expr)                                                                              \
  do {                                                                                                 \
    if (auto&& try_result = (expr); !try_result) {                                                     \
      return tl::unexpected<::ofindex::Error>(std::forward<decltype(try_result)>(try_result).error()); \
    }                                                                                                  \
  } while (false)

/// Declares or assigns `target` from the value of `expr`; if it is an error, returns it from the enclosing function.
#define OFINDEX_ASSIGN(target, expr) OFINDEX_ASSIGN_(OFINDEX_CONCAT(assign_result_, __LINE__), target, expr)
#define OFINDEX_ASSIGN_(temporary, target, expr)                                                                 \
  auto&& temporary = (expr);                                                                                     \
  if (!temporary) return tl::unexpected<::ofindex::Error>(std::forward<decltype(temporary)>(temporary).error()); \
  target = *std::forward<decltype(temporary)>(temporary)
