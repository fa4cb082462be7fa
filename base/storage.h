#pragma once

#include "base/file.h"

namespace ofindex {

/// The kind of storage that holds a file, as it affects random reads.
enum class Storage {
  kMemory,    ///< an in-memory file system
  kSolid,     ///< a device with fast seeks; also the default if the system does not tell
  kRotating,  ///< a rotating disk
  kNetwork,   ///< over a network: a page fault can hang or kill the process, a failing pread can be reported
};

/// Returns the storage of `file`, as reported by the system; reads no bytes of the file.
[[nodiscard]] Storage StorageOf(const File& file);

}  // namespace ofindex
