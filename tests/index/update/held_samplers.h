#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "query/sampling/open_sampler.h"
#include "tests/index/update/index_contents.h"

namespace ofindex {

/// Samplers that were stopped in mid-epoch, to be resumed after each update of their dataset.
class HeldSamplers {
 public:
  using Payloads = std::map<uint64_t, std::string>;  ///< by ordinal

  /// Begins an epoch of the dataset whose index is at `path` and has `contents`: of all records or of a selection,
  /// shuffled globally or by blocks, on any rank of any world. Stops it somewhere and keeps its state.
  void Hold(const std::string& path, const IndexContents& contents, std::mt19937_64& random);

  /// Resumes all states after an update, and ends the test unless each goes on as if nothing had happened, or is
  /// refused because records of its epoch are gone. `renumbered`: the update has moved ordinals; then, and later, a
  /// state that is not refused must still read the same payloads.
  void Resume(const std::string& path, const IndexContents& contents, bool renumbered);

  /// How many states went on, and how many were refused.
  struct Outcomes {
    uint64_t resumed = 0;
    uint64_t refused = 0;
  };
  [[nodiscard]] const Outcomes& outcomes() const { return outcomes_; }

 private:
  struct Held {
    SampleRequest request;  // that resumes the state
    Payloads there;         // all records of the dataset
    std::set<uint64_t> epoch;
    std::vector<uint64_t> rest;  // of the epoch, in order
    bool renumbered = false;
  };

  static Payloads PayloadsOf(const IndexContents& contents);
  static void CheckRest(const Held& held, Sampler sampler, const Payloads& now);
  static void CheckNextEpoch(const Held& held, Sampler sampler, const Payloads& now);
  static void CheckChanges(const Held& held, const Sampler& sampler, const Payloads& now);

  std::vector<Held> held_;
  Outcomes outcomes_;
};

}  // namespace ofindex
