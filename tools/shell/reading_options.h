#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "mmap/record_reader.h"
#include "tools/shell/number_option.h"

namespace ofindex {

inline constexpr uint64_t kMostCacheMebibytes = uint64_t{1} << 20;

/// Adds the options of every verb that reads records: where the shards are, and how to read them.
inline void AddReadingOptions(CLI::App& verb, ReaderOptions& options) {
  verb.add_option("--root", options.root, "Folder with a copy of the dataset")->type_name("DIR");
  verb.add_option_function<std::string>(
          "--io",
          [&options](const std::string& io) {
            options.io = io == "mmap" ? IoMode::kMmap : io == "pread" ? IoMode::kPread : IoMode::kAuto;
          },
          "auto, mmap or pread; default auto: mmap, except pread on network file systems")
      ->check(CLI::IsMember({"auto", "mmap", "pread"}).description(""))
      ->type_name("IO");
  AddMebibytes(verb, "--cache", options.inflated_cache_bytes, 1, kMostCacheMebibytes,
               "Memory for inflated data of compressed shards; default 320");
}

}  // namespace ofindex
