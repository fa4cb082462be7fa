#pragma once

#include "base/bytes.h"

namespace ofindex {

/// Sends bytes to a connection, in pieces: responses are whole, and nobody without the token gets data.
void CheckHttp(ByteView input);

/// Asks the explorer of a small dataset: each answer is JSON or the bytes of a value, and says why there is none.
void CheckExplorer(ByteView input);

}  // namespace ofindex
