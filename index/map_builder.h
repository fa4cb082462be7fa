#pragma once

#include <cstdint>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "mmap/offset_map.h"

namespace ofindex {

/// What binds a map to its index without asking SQLite: a hash of the index file's size and first 128 KiB, where the
/// facts of the dataset with its id lie (index/schema.h). Errors: kNotFound  no index; kIo.
[[nodiscard]] Result<uint64_t> MapBinding(const std::string& index_path);

/// Opens the map of an index. One that is missing, damaged or of another build is made anew from the index, silently:
/// beside it or, where that cannot be written, in the user's cache folder. Several processes that come together wait
/// for the one that makes it. Errors: kNotFound, kIndex, kIo, kLimit; kInterrupted  `progress.cancel` was set while the
/// map was waited for or made.
[[nodiscard]] Result<OffsetMap> OpenMap(const std::string& index_path, const Progress& progress = {});

}  // namespace ofindex
