#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/dataset.h"
#include "tools/shell/context.h"

namespace ofindex {

/// The shards that could not be read while the records of all others were processed. Not thread-safe.
class LostShards {
 public:
  /// Both must outlive this.
  LostShards(const Dataset& dataset, const Context& context) : dataset_(dataset), context_(context) {}

  /// Returns true if record `ordinal` lies in a lost shard, so that reading it need not be tried.
  [[nodiscard]] bool Has(uint64_t ordinal) const;

  /// Takes the error of reading record `ordinal`: its shard is lost, with all its records. Prints the first error at
  /// once, after the output so far. Errors: `error` itself if it is not about one shard.
  [[nodiscard]] Result<void> Add(uint64_t ordinal, const Error& error);

  /// Prints the remaining errors.
  void PrintRest() const;

  /// Returns the exit code: that of the worst error, 0 if no shard is lost.
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  [[nodiscard]] Result<std::string> RecordsIn(uint32_t piece) const;

  const Dataset& dataset_;
  const Context& context_;
  std::set<uint32_t> shards_;
  std::vector<std::string> rest_;  // all errors but the first, in the order in which they occurred
  int exit_code_ = 0;
};

}  // namespace ofindex
