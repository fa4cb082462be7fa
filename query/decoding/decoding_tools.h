#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "query/decoding/decoding_plan.h"
#include "query/decoding/payload_source.h"
#include "query/decoding/plain_walk.h"
#include "query/decoding/whole_record.h"

namespace ofindex {

/// What a thread needs to decode records of one plan, and is worth keeping from request to request: memory, and what
/// the records looked like.
struct DecodingTools {
  explicit DecodingTools(const DecodingPlan& plan) : plain(plan) {}

  PlainWalk plain;
  WholeRecord whole;
  FetchedPayloads payloads;
  uint64_t piece_records = 16;  ///< that the next piece has
};

/// The tools of one plan that nobody uses. Memory of small batches that was freed instead went back to the system, and
/// its page faults took longer than decoding. Thread-safe without locks, so that a fork leaves nothing locked.
class ToolStash {
 public:
  ToolStash() = default;
  ~ToolStash();
  ToolStash(const ToolStash&) = delete;
  ToolStash& operator=(const ToolStash&) = delete;

  /// Tools of `plan`, new ones if there are none. May throw std::bad_alloc.
  [[nodiscard]] std::unique_ptr<DecodingTools> Take(const DecodingPlan& plan);

  /// Takes them back; there is room for those of eight threads.
  void Give(std::unique_ptr<DecodingTools> tools);

 private:
  std::array<std::atomic<DecodingTools*>, 8> slots_{};
};

}  // namespace ofindex
