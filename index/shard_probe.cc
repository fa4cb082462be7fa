#include "index/shard_probe.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/allocation.h"
#include "base/text.h"
#include "base/threads.h"

namespace ofindex {
namespace {

struct Probe {
  ShardIdentity identity;
  Detection detection;
};

Result<Probe> ProbeOne(const Candidate& candidate, const FormatChoice& choice) {
  OFINDEX_ASSIGN(const File file, File::OpenRead(candidate.path));
  Probe probe;
  OFINDEX_ASSIGN(probe.identity, IdentifyShard(file));
  OFINDEX_ASSIGN(probe.detection, DetectShard(file, probe.identity.size, choice));
  return probe;
}

std::vector<std::optional<Result<Probe>>> ProbeAll(const std::vector<Candidate>& candidates, const FormatChoice& choice,
                                                   unsigned threads, const Progress& progress) {
  std::vector<std::optional<Result<Probe>>> probes(candidates.size());
  std::atomic<size_t> next{0};
  RunOnThreads(static_cast<unsigned>(std::min<size_t>(threads, candidates.size())), [&](unsigned) {
    for (size_t i = next++; i < candidates.size(); i = next++) {
      if (progress.cancel) return;
      probes[i] = WithMemory("a look at a file", [&] { return ProbeOne(candidates[i], choice); });
    }
  });
  return probes;
}

// The first shard whose framing is not that of the first one that has any.
Result<void> CheckOneFormat(const std::vector<ProbedShard>& shards) {
  const ProbedShard* first = nullptr;
  for (const ProbedShard& shard : shards) {
    if (shard.framing == Framing::kEmpty) continue;
    if (first == nullptr) first = &shard;
    if (shard.framing == first->framing) continue;
    return Fail(ErrorCode::kFormat,
                StrCat(Printable(shard.file.path), "@0: of format ", Name(shard.framing), "; expected ",
                       Name(first->framing), ", as ", Printable(first->file.path), " is"),
                "index each format by itself, or say which one it is with --format");
  }
  return {};
}

}  // namespace

Result<ProbedSet> ProbeShards(const std::vector<Candidate>& candidates, const FormatChoice& choice, unsigned threads,
                              const Progress& progress) {
  std::vector<std::optional<Result<Probe>>> probes = ProbeAll(candidates, choice, threads, progress);
  ProbedSet set;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!probes[i]) return Interrupted();
    OFINDEX_ASSIGN(const Probe probe, *probes[i]);
    const Detection& detection = probe.detection;
    switch (detection.verdict) {
      case Detection::Verdict::kRecords:
        set.shards.push_back({.file = candidates[i],
                              .identity = probe.identity,
                              .framing = detection.framing,
                              .payload = detection.payload,
                              .compression = detection.compression,
                              .mean_record_bytes = detection.mean_record_bytes});
        break;
      default: set.skipped.push_back({candidates[i].stored_path, detection.what});
    }
  }
  OFINDEX_TRY(CheckOneFormat(set.shards));
  if (!set.shards.empty()) return set;
  std::string what = "DATA: no record file in it";
  if (!set.skipped.empty()) {
    what = StrCat(Printable(set.skipped.front().path), "@0: ", set.skipped.front().reason,
                  "; expected a TFRecord or an OFRecord");
  }
  return Fail(ErrorCode::kFormat, std::move(what),
              choice.compression ? "leave out --compression, or say with it how it is compressed"
                                 : "say which format it is with --format tfrecord or --format ofrecord");
}

}  // namespace ofindex
