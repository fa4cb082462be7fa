#include "base/allocation.h"

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/text.h"

namespace ofindex {

namespace {

Error Described(const std::exception& thrown, const char* what) {
  const bool too_long = dynamic_cast<const std::length_error*>(&thrown) != nullptr;
  if (too_long || dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) {
    return {ErrorCode::kLimit, StrCat("out of memory for ", what), "raise `ulimit -v`, or free some memory"};
  }
  if (const auto* const refused = dynamic_cast<const std::system_error*>(&thrown)) {
    const int code = refused->code().value();
    const std::string text = StrCat(what, ": ", refused->code().message());
    if (code == EAGAIN || code == ENOMEM) {
      return {ErrorCode::kLimit, text, "raise `ulimit -u` and `ulimit -v`, or end other programs", code};
    }
    return {ErrorCode::kIo, text, "fix the cause that the system reports", code};
  }
  return {ErrorCode::kIo, StrCat("a bug in ofindex: ", what, ": ", thrown.what()),
          "report it, with the command that you ran"};
}

}  // namespace

// Building a message may itself run out of memory; the fallback message is short enough not to allocate.
Error ErrorOf(const std::exception& thrown, const char* what) noexcept {
  try {
    return Described(thrown, what);
  } catch (const std::exception&) {
    return {ErrorCode::kLimit, "out of memory"};
  }
}

}  // namespace ofindex
