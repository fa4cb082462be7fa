#pragma once

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include <ofindex/api.h>

namespace ofindex::v1 {

/// The kinds of failure. Each has one meaning. The number after it is the exit code with which the command reports it.
enum class ErrorCode : uint8_t {
  kUsage = 1,    ///< an argument makes no sense                                  2
  kOutOfRange,   ///< an ordinal is not in the dataset                            2
  kDamage,       ///< the requested bytes are damaged, or marked bad              3
  kFormat,       ///< not a record file, or not of the expected format            3
  kFeature,      ///< a feature of a record is not as requested                   3
  kNotFound,     ///< there is no index                                           4
  kIndex,        ///< the index is corrupt, foreign or of another version         4
  kStale,        ///< a shard is no longer the file that was indexed              4
  kIo,           ///< the operating system refused a read or a write              5
  kLocked,       ///< another process builds the same index                       6
  kLimit,        ///< a limit was reached: memory, maps, descriptors, time        7
  kInterrupted,  ///< the caller asked to stop                                    130
};

/// One failure, as a value.
struct Error {
  ErrorCode code;
  std::string message;    ///< `<path>@<byte>: what; expected X, got Y`; printable, without a newline at the end
  std::string hint = {};  ///< how to fix it, as a command of ofindex if there is one; may be empty
  int system_error = 0;   ///< errno, if the operating system reported one
};

/// The outcome of an operation that can fail: a value, or an Error. Programs that use only the interface shared with
/// std::expected keep compiling when this alias becomes std::expected.
///
/// The library throws nothing of its own. A function that returns a Result returns kLimit if memory runs out; other
/// functions may throw std::bad_alloc.
template <typename T>
using Result = tl::expected<T, Error>;

}  // namespace ofindex::v1
