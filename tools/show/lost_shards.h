#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/dataset.h"
#include "tools/shell/context.h"

namespace ofindex {

/// The shards that could not be read while records were given, so that the records of all others are. Not thread-safe.
class LostShards {
 public:
  /// Both must outlive this.
  LostShards(const Dataset& dataset, const Context& context) : dataset_(dataset), context_(context) {}

  /// Returns true if record `ordinal` lies in a shard that is lost: it needs no further try.
  [[nodiscard]] bool Has(uint64_t ordinal) const;

  /// Takes the error of reading record `ordinal`: its shard is lost, with all its records. Prints the first one at
  /// once, behind what was given so far. Errors: `error` itself if it is not about one shard.
  [[nodiscard]] Result<void> Add(uint64_t ordinal, const Error& error);

  /// Prints the others.
  void PrintRest() const;

  /// Returns the exit code: that of the worst error, 0 if no shard is lost.
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  const Dataset& dataset_;
  const Context& context_;
  std::set<uint32_t> shards_;
  std::vector<std::string> rest_;  // what is wrong with all but the first, in the order in which they came
  int exit_code_ = 0;
};

}  // namespace ofindex
