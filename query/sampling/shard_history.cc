#include "query/sampling/shard_history.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {

Result<ShardHistory> ShardHistory::Of(SharedCatalog& catalog) {
  return catalog.With([](CatalogReader& reader) -> Result<ShardHistory> {
    ShardHistory history;
    OFINDEX_ASSIGN(history.pieces, reader.Pieces());
    OFINDEX_ASSIGN(history.absences, reader.Absences());
    return history;
  });
}

// Returns for each piece whether it was missing at `generation`.
std::vector<bool> ShardHistory::AbsentAt(const GenerationRow& generation) const {
  const auto number = static_cast<uint64_t>(generation.number);
  std::vector<bool> absent(pieces.size());
  for (const AbsenceRow& absence : absences) {
    if (absence.since <= number && (!absence.until || *absence.until > number)) absent[absence.shard] = true;
  }
  return absent;
}

OrdinalSet ShardHistory::RecordsAt(const GenerationRow& generation) const {
  if (pieces.empty()) return OrdinalSet::Range(0, std::min(generation.records, OrdinalSet::kEnd));
  const std::vector<bool> absent = AbsentAt(generation);
  OrdinalSet::Builder builder;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const ShardRow& piece = pieces[i];
    if (piece.first_record >= generation.records) break;
    if (!absent[i])
      builder.AddRange(piece.first_record, std::min(piece.first_record + piece.records, generation.records));
  }
  return builder.Take();
}

std::string ShardHistory::GoneSince(const GenerationRow& generation) const {
  constexpr size_t kNamed = 3;
  const std::vector<bool> absent = AbsentAt(generation);
  std::vector<std::string> paths;
  std::vector<bool> named(pieces.size());  // a shard that has grown has several pieces
  uint64_t since = kMaxGeneration;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const ShardRow& piece = pieces[i];
    if (piece.first_record >= generation.records) break;
    if (absent[i] || !piece.is_gone() || piece.records == 0) continue;
    since = std::min(since, piece.gone);
    if (!named[piece.file]) paths.push_back(piece.path);
    named[piece.file] = true;
  }
  if (paths.empty()) return "";
  std::string text;
  for (size_t i = 0; i < std::min(paths.size(), kNamed); ++i) text += StrCat(i == 0 ? "" : ", ", Printable(paths[i]));
  if (paths.size() > kNamed) text += StrCat(" and ", FormatCount(paths.size() - kNamed), " more");
  return StrCat(text, paths.size() == 1 ? " is" : " are", " missing or changed since generation ", since);
}

}  // namespace ofindex
