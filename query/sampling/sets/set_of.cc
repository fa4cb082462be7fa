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

}  // namespace ofindex
