#include "tools/http/token.h"

#include <errno.h>
#include <sys/random.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "base/text.h"

namespace ofindex {

Result<std::string> NewToken() {
  std::array<uint8_t, 32> bits{};
  // The system gives up to 256 bytes in one piece.
  if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
    const int cause = errno;
    return tl::unexpected<Error>(
        Error{ErrorCode::kIo,
              StrCat("a random token: getrandom() failed: ", std::generic_category().message(cause)),
              {},
              cause});
  }
  return ToHex(ByteView(bits));
}

bool IsSameToken(std::string_view given, std::string_view token) {
  if (given.size() != token.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<uint8_t>(given[i]) ^ static_cast<uint8_t>(token[i]));
  }
  return difference == 0;
}

}  // namespace ofindex
