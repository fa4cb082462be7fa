#include "query/sampling/present_records.h"

#include "base/text.h"

namespace ofindex {

Result<View> PresentRecords(const RecordReader& reader) {
  const OffsetMap& map = reader.map();
  if (reader.live() == reader.size()) return View::Range(0, reader.size());
  OrdinalSet::Builder builder;
  uint64_t end = 0;
  for (uint64_t piece = 0; piece < map.shards(); ++piece) {
    OFINDEX_ASSIGN(const MapShard entry, map.Shard(piece));
    if (entry.first_record != end || entry.records > reader.size() - end) {
      return Fail(ErrorCode::kIndex, StrCat(Printable(entry.path), ": the map has its records in another place"),
                  kOffsetMapHint);
    }
    end += entry.records;
    if (!entry.gone && entry.records != 0) builder.AddRange(entry.first_record, end);
  }
  return View::Of(builder.Take());
}

}  // namespace ofindex
