#include "query/audit/similarity_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/text.h"
#include "query/audit/shared_work.h"

namespace ofindex {
namespace {

constexpr uint64_t kSecondSeed = 1;
constexpr uint64_t kImagesAtOnce = 64;  // few, because some images take long

using OrdinalRange = std::pair<uint64_t, uint64_t>;

// What the threads share.
struct SimilaritySet {
  const SimilarityRequest& request;
  const ComparedBytes& bytes;
  const ChosenRecords& chosen;
  std::vector<OrdinalRange> ranges;
  std::vector<SimilarityEntry>& entries;  // guarded by ShareWork(), as `facts` is
  Progress& progress;
  RecordFacts facts;
};

// Makes the hashes of ranges of records on one thread.
class SimilarityWorker {
 public:
  explicit SimilarityWorker(SimilaritySet& set) : set_(set) {}

  Result<void> Do(size_t number) {
    const auto [begin, end] = set_.ranges[number];
    set_.chosen.Choose(begin, end, ordinals_, facts_);
    for (const uint64_t ordinal : ordinals_) {
      if (set_.progress.cancel) return Interrupted();
      OFINDEX_TRY(Add(ordinal));
      set_.progress.records_done.fetch_add(1, std::memory_order_relaxed);
    }
    return {};
  }

  Result<void> Finish() {
    set_.facts.Add(facts_);
    set_.entries.insert(set_.entries.end(), entries_.begin(), entries_.end());
    return {};
  }

 private:
  Result<void> Add(uint64_t ordinal) {
    ++facts_.read;
    OFINDEX_ASSIGN(const std::optional<ByteView> image, set_.bytes.ReadFirst(ordinal, room_));
    if (!image) {
      ++facts_.without;
      return {};
    }
    SimilarityEntry entry{.record = set_.request.first_number + ordinal};
    std::array<uint8_t, SimilarityHash::kBytes> decoded;
    if (const Result<void> done = set_.request.decoder->Decode(*image, decoded.data()); done) {
      std::memcpy(entry.hash.words.data(), decoded.data(), decoded.size());
      if (entry.hash.is_empty()) ++facts_.plain;
    } else if (done.error().code == ErrorCode::kFeature) {
      facts_.Add({.undecodable = 1, .first_undecodable = ordinal, .cause = done.error().message});
    } else {
      return tl::unexpected(done.error());
    }
    if (entry.hash.is_empty()) entry.hash.words = {Xxh3(*image), Xxh3(*image, kSecondSeed)};
    entries_.push_back(entry);
    return {};
  }

  SimilaritySet& set_;
  RecordFacts facts_;
  std::vector<uint64_t> ordinals_;
  std::vector<SimilarityEntry> entries_;
  ComparedBytes::Room room_;
};

std::vector<OrdinalRange> RangesOf(const std::vector<BlockMetadata>& blocks) {
  std::vector<OrdinalRange> ranges;
  for (const BlockMetadata& block : blocks) {
    const uint64_t end = block.first_record + block.records;
    for (uint64_t begin = block.first_record; begin < end; begin += kImagesAtOnce) {
      ranges.emplace_back(begin, std::min(begin + kImagesAtOnce, end));
    }
  }
  return ranges;
}

}  // namespace

Result<RecordFacts> CollectSimilarity(const SimilarityRequest& request, const ComparedBytes& bytes,
                                      std::vector<SimilarityEntry>& entries, Progress& progress) {
  if (request.decoder->bytes() != SimilarityHash::kBytes) {
    return Fail(ErrorCode::kUsage,
                StrCat("the decoder of images makes ", request.decoder->bytes(), " bytes; expected a hash of ",
                       SimilarityHash::kBytes),
                "use PerceptualHash");
  }
  OFINDEX_ASSIGN(const ChosenRecords chosen, ChosenRecords::Of(*request.dataset, request.rows));
  SimilaritySet set{.request = request,
                    .bytes = bytes,
                    .chosen = chosen,
                    .ranges = RangesOf(chosen.store().blocks()),
                    .entries = entries,
                    .progress = progress,
                    .facts = {}};
  OFINDEX_TRY(ShareWork(set.ranges.size(), request.threads, progress, "the hashes of images",
                        [&] { return SimilarityWorker(set); }));
  return set.facts;
}

}  // namespace ofindex
