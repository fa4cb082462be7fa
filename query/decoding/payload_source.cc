#include "query/decoding/payload_source.h"

#include <algorithm>
#include <utility>

#include "base/allocation.h"
#include "base/framing.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr char kPayloads[] = "a batch of records";

Error NotThere(uint64_t ordinal, uint64_t records) {
  return {ErrorCode::kOutOfRange, StrCat("record ", ordinal, " is not in the dataset; expected less than ", records)};
}

}  // namespace

// ---------------------------------------------------------------- one dataset

Result<std::shared_ptr<const ReaderSource>> ReaderSource::Of(std::shared_ptr<const RecordReader> reader) {
  return WithMemory("the kinds of shards", [&]() -> Result<std::shared_ptr<const ReaderSource>> {
    std::vector<Run> runs;
    for (uint64_t shard = 0; shard < reader->map().shards(); ++shard) {
      OFINDEX_ASSIGN(const MapShard entry, reader->map().Shard(shard));
      if (entry.records == 0 || (!runs.empty() && runs.back().kind == entry.payload)) continue;
      runs.push_back({entry.first_record, entry.payload});
    }
    return std::shared_ptr<const ReaderSource>(new ReaderSource(std::move(reader), std::move(runs)));
  });
}

PayloadKind ReaderSource::KindOf(uint64_t ordinal) const {
  if (runs_.size() == 1) return runs_.front().kind;
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), ordinal,
                                      [](uint64_t o, const Run& run) { return o < run.first_record; });
  return after == runs_.begin() ? PayloadKind::kOpaque : std::prev(after)->kind;
}

Result<void> ReaderSource::Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const {
  return WithMemory(kPayloads, [&]() -> Result<void> {
    out.Resize(ordinals.size());
    RecordBatch& memory = out.Memory(0);
    OFINDEX_TRY(reader_->CopyInto(ordinals, memory));
    for (size_t i = 0; i < ordinals.size(); ++i) out.Set(i, memory[i], KindOf(ordinals[i]));
    return {};
  });
}

Result<void> ReaderSource::FetchPart(std::span<const uint64_t> ordinals, std::span<const size_t> places, size_t memory,
                                     FetchedPayloads& out) const {
  RecordBatch& copies = out.Memory(memory);
  OFINDEX_TRY(reader_->CopyInto(ordinals, copies));
  for (size_t i = 0; i < ordinals.size(); ++i) out.Set(places[i], copies[i], KindOf(ordinals[i]));
  return {};
}

Error ReaderSource::Explain(uint64_t ordinal, Error error) const {
  std::string place;
  if (const auto location = reader_->Locate(ordinal)) {
    const auto path = reader_->ShardPath(location->shard);
    const auto shard = reader_->map().Shard(location->shard);
    if (path && shard) place = StrCat(Printable(*path), "@", location->offset + HeaderBytes(shard->framing), ": ");
  }
  error.message = StrCat(place, "record ", ordinal, ": ", error.message);
  if (error.code == ErrorCode::kDamage && error.hint.empty()) {
    error.hint = StrCat("`ofindex get --raw INDEX ", ordinal, "` writes the bytes as they are");
  }
  return error;
}

// ---------------------------------------------------------------- several datasets

Result<std::shared_ptr<const JoinedSource>> JoinedSource::Of(
    std::span<const std::shared_ptr<const RecordReader>> readers) {
  return WithMemory("the kinds of shards", [&]() -> Result<std::shared_ptr<const JoinedSource>> {
    std::vector<std::shared_ptr<const ReaderSource>> sources;
    for (const auto& reader : readers) {
      OFINDEX_ASSIGN(auto source, ReaderSource::Of(reader));
      sources.push_back(std::move(source));
    }
    return std::shared_ptr<const JoinedSource>(new JoinedSource(std::move(sources)));
  });
}

JoinedSource::JoinedSource(std::vector<std::shared_ptr<const ReaderSource>> sources) : sources_(std::move(sources)) {
  first_ordinals_.push_back(0);
  for (const auto& source : sources_) first_ordinals_.push_back(first_ordinals_.back() + source->size());
}

size_t JoinedSource::SourceOf(uint64_t ordinal) const {
  const auto after = std::upper_bound(first_ordinals_.begin() + 1, first_ordinals_.end(), ordinal);
  return static_cast<size_t>(after - first_ordinals_.begin()) - 1;
}

Result<void> JoinedSource::Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const {
  for (const uint64_t ordinal : ordinals) {
    if (ordinal >= first_ordinals_.back()) return tl::unexpected<Error>(NotThere(ordinal, first_ordinals_.back()));
  }
  return WithMemory(kPayloads, [&]() -> Result<void> {
    out.Resize(ordinals.size());
    FetchedPayloads::Part& part = out.part();
    for (size_t source = 0; source < sources_.size(); ++source) {
      const uint64_t first = first_ordinals_[source];
      const uint64_t end = first_ordinals_[source + 1];
      part.ordinals.clear();
      part.places.clear();
      for (size_t i = 0; i < ordinals.size(); ++i) {
        if (ordinals[i] < first || ordinals[i] >= end) continue;
        part.ordinals.push_back(ordinals[i] - first);
        part.places.push_back(i);
      }
      if (!part.ordinals.empty()) {
        OFINDEX_TRY(sources_[source]->FetchPart(part.ordinals, part.places, source, out));
      }
    }
    return {};
  });
}

Error JoinedSource::Explain(uint64_t ordinal, Error error) const {
  const size_t source = SourceOf(ordinal);
  if (source >= sources_.size()) return error;
  return sources_[source]->Explain(ordinal - first_ordinals_[source], std::move(error));
}

// ---------------------------------------------------------------- memory

Result<void> MemoryPayloads::Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const {
  return WithMemory(kPayloads, [&]() -> Result<void> {
    out.Resize(ordinals.size());
    for (size_t i = 0; i < ordinals.size(); ++i) {
      if (ordinals[i] >= payloads_.size()) return tl::unexpected<Error>(NotThere(ordinals[i], payloads_.size()));
      out.Set(i, payloads_[ordinals[i]], kind_);
    }
    return {};
  });
}

Error MemoryPayloads::Explain(uint64_t ordinal, Error error) const {
  error.message = StrCat("record ", ordinal, ": ", error.message);
  return error;
}

}  // namespace ofindex
