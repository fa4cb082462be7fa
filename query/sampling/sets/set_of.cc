#include "query/sampling/sets/set_of.h"

#include "base/text.h"

namespace ofindex {

OrdinalSet SetOf(const Selection& selection) {
  OrdinalSet::Builder builder;
  for (size_t b = 0; b < selection.blocks().size(); ++b) {
    const BlockMetadata& block = selection.blocks()[b];
    const BlockSelection& selected = selection.selected()[b];
    if (selected.count == block.records) {
      builder.AddRange(block.first_record, block.first_record + block.records);
    } else {
      for (size_t w = 0; w < selected.words.size(); ++w) {
        builder.AddBits(block.first_record + w * 64, selected.words[w]);
      }
    }
  }
  return builder.Take();
}

OrdinalSet SetOf(const ColumnStore& store) {
  OrdinalSet::Builder builder;
  for (const BlockMetadata& block : store.blocks()) {
    builder.AddRange(block.first_record, block.first_record + block.records);
  }
  return builder.Take();
}

View PresentRecords(const ColumnStore& store) {
  if (store.records() == store.ordinals()) return View::Range(0, store.ordinals());
  return View::Of(SetOf(store));
}

Result<View> PresentRecords(const OffsetMap& map) {
  if (map.live() == map.records()) return View::Range(0, map.records());
  OrdinalSet::Builder builder;
  uint64_t end = 0;
  for (uint64_t piece = 0; piece < map.shards(); ++piece) {
    OFINDEX_ASSIGN(const MapShard entry, map.Shard(piece));
    if (entry.first_record != end || entry.records > map.records() - end) {
      return Fail(ErrorCode::kIndex, StrCat(Printable(entry.path), ": the map has its records in another place"),
                  kOffsetMapHint);
    }
    end += entry.records;
    if (!entry.gone && entry.records != 0) builder.AddRange(entry.first_record, end);
  }
  return View::Of(builder.Take());
}

}  // namespace ofindex
