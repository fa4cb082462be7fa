#include "query/sampling/sets/set_of.h"

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

}  // namespace ofindex
