#include "index/merge/whole_copier.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

// Indexes whose files are open at the same time, each with a cache.
constexpr size_t kMaxConnections = 16;

Result<void> CheckSameOptions(const MergeSource& a, const MergeSource& b) {
  struct Option {
    std::string_view name;
    std::string_view of_a;
    std::string_view of_b;
  };
  const DatasetFacts& x = a.facts();
  const DatasetFacts& y = b.facts();
  for (const Option& option :
       {Option{"checked", Name(x.checked), Name(y.checked)}, Option{"format", x.format, y.format},
        Option{"payload", x.payload, y.payload}, Option{"compression", x.compression, y.compression},
        Option{"columns", x.columns, y.columns}, Option{"derive", x.derive, y.derive},
        Option{"message", x.message, y.message}}) {
    if (option.of_a == option.of_b) continue;
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(a.path()), " and ", Printable(b.path()), ": built with different options: ",
                       option.name, " '", Printable(option.of_a), "' and '", Printable(option.of_b), "'"),
                "build both with the same options");
  }
  return {};
}

}  // namespace

Result<WholeCopier> WholeCopier::Open(const std::vector<std::string>& paths, GatheredFacts& gathered) {
  WholeCopier copier;
  for (const std::string& path : paths) OFINDEX_TRY(copier.Add(path, gathered));
  OFINDEX_TRY(copier.SortPlaces());
  gathered.SortSources();
  return copier;
}

Result<void> WholeCopier::Add(const std::string& path, GatheredFacts& gathered) {
  OFINDEX_ASSIGN(MergeSource source, MergeSource::Open(path));
  if (!sources_.empty()) OFINDEX_TRY(CheckSameOptions(sources_.front(), source));
  const Rebase rebase(path, gathered.index());
  std::vector<size_t> places(source.shards().size());  // by first piece
  for (uint32_t shard = 0; shard < source.shards().size(); ++shard) {
    const ShardRow& piece = source.shards()[shard];
    if (piece.is_gone()) continue;
    if (piece.file != shard) {
      places_[places[piece.file]].pieces.push_back(shard);
      continue;
    }
    places[shard] = places_.size();
    OFINDEX_ASSIGN(ShardRow row, gathered.Take(piece, rebase));
    places_.push_back({std::move(row), sources_.size(), {shard}});
  }
  OFINDEX_TRY(gathered.TakeSources(source.facts(), path));
  OFINDEX_TRY(gathered.TakeSkipped(source));
  source.Rest();
  sources_.push_back(std::move(source));
  return {};
}

Result<void> WholeCopier::SortPlaces() {
  // Stable, because a source copies its shards in its own order.
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return NaturalLess(a.row.path, b.row.path); });
  const auto twice = std::adjacent_find(places_.begin(), places_.end(),
                                        [](const Place& a, const Place& b) { return a.row.path == b.row.path; });
  if (twice == places_.end()) return {};
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(twice->row.path), ": a shard of both ", Printable(sources_[twice->source].path()),
                     " and ", Printable(sources_[std::next(twice)->source].path())),
              "merge indexes that have no shard in common");
}

// Makes room for the connection of `source`.
void WholeCopier::Use(size_t source) {
  std::erase(connected_, source);
  connected_.push_back(source);
  if (connected_.size() <= kMaxConnections) return;
  sources_[connected_.front()].Rest();
  connected_.erase(connected_.begin());
}

std::vector<CarriedSource> WholeCopier::carried() const {
  std::vector<CarriedSource> carried;
  for (const MergeSource& source : sources_) source.AddCarriedTo(carried);
  return carried;
}

Result<void> WholeCopier::CopyTo(IndexWriter& writer, Progress& progress) {
  for (const Place& place : places_) {
    Use(place.source);
    writer.BeginShard(place.row);
    ShardFindings findings;
    for (const uint32_t piece : place.pieces) {
      const ShardRow& row = sources_[place.source].shards()[piece];
      const ShardRow& begun = writer.pieces().back();
      renumbered_ = renumbered_ || (row.records != 0 && begun.first_record + begun.records != row.first_record);
      OFINDEX_TRY(sources_[place.source].CopyShard(piece, writer, findings, progress));
    }
    OFINDEX_TRY(writer.EndShard(std::move(findings)));
    progress.shards_done.fetch_add(1, std::memory_order_relaxed);
  }
  return {};
}

}  // namespace ofindex
