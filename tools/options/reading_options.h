#pragma once

#include "mmap/record_reader.h"
#include "tools/options/command_line.h"

namespace ofindex {

inline constexpr uint64_t kMaxCacheMebibytes = uint64_t{1} << 20;

/// Adds the option for shards that have moved.
inline void AddRoot(Verb& verb, ReaderOptions& options) {
  verb.AddOption("--root", options.root, "DIR", "Folder with a copy of the dataset");
}

/// Adds the options of every verb that reads records: where the shards are, and how to read them.
inline void AddReadingOptions(Verb& verb, ReaderOptions& options) {
  AddRoot(verb, options);
  verb.AddChoice("--io", options.io, {{"auto", IoMode::kAuto}, {"mmap", IoMode::kMmap}, {"pread", IoMode::kPread}},
                 "IO", "auto, mmap or pread; default auto: mmap, except pread on network file systems");
  verb.AddMebibytes("--cache", options.inflated_cache_bytes, 1, kMaxCacheMebibytes,
                    "Memory for inflated data of compressed shards; default 320");
}

}  // namespace ofindex
