#pragma once

#include "base/file.h"

namespace ofindex {

/// What a file lies on, as far as reading it here and there is concerned.
enum class Storage {
  kMemory,    ///< a file system in memory
  kSolid,     ///< a device that seeks at once; also whatever the system does not tell of
  kRotating,  ///< a disk that has to turn
  kNetwork,   ///< pages come over a network: a page fault there can hang or kill, a failing pread can be reported
};

/// Asks the system; reads nothing of the file.
[[nodiscard]] Storage StorageOf(const File& file);

}  // namespace ofindex
