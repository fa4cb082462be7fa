#include "tools/ordinals/listed_records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/sampling/sets/set_of.h"
#include "tools/ordinals/ordinal_list.h"

namespace ofindex {

Option AddIds(Verb& verb, std::string& path, const char* help) {
  return verb.AddOption("--ids", path, "FILE", StrCat(help, "; - is standard input")).NotEmpty();
}

Result<View> ListedRecords(const std::string& path, const ColumnStore& columns, const Context& context) {
  OFINDEX_ASSIGN(std::vector<uint64_t> ordinals, ReadOrdinals(path, columns.ordinals(), context.progress.cancel));
  std::sort(ordinals.begin(), ordinals.end());
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
  OrdinalSet::Builder builder;
  for (const uint64_t ordinal : ordinals) builder.Add(ordinal);
  const OrdinalSet listed = builder.Take();
  const View present = PresentRecords(columns).Where(listed);
  if (present.size() == listed.size()) return present;
  return Fail(ErrorCode::kOutOfRange,
              StrCat(Printable(path), ": ", Counted(listed.size() - present.size(), "record"), " of the list are gone"),
              "make the list again, or restore the shards and run `ofindex update`");
}

Selection Within(const Selection& selection, const View& view) {
  std::vector<BlockSelection> selected;
  for (size_t b = 0; b < selection.blocks().size(); ++b) {
    const BlockMetadata& block = selection.blocks()[b];
    std::vector<uint64_t> words = BitsOf(view, block.first_record, block.first_record + block.records);
    for (uint32_t w = 0; w < words.size(); ++w) words[w] &= selection.selected()[b].Word(block.records, w);
    selected.push_back(SelectionOf(std::move(words), block.records));
  }
  return {selection.blocks(), std::move(selected)};
}

std::vector<uint64_t> BitsOf(const View& view, uint64_t begin, uint64_t end) {
  const View part = view.Between(begin, end);
  if (part.size() == 0) return {};
  std::vector<uint64_t> words((end - begin + 63) / 64);
  for (uint64_t i = 0; i < part.size(); ++i) {
    const uint64_t bit = part.At(i) - begin;
    words[bit / 64] |= uint64_t{1} << bit % 64;
  }
  return words;
}

}  // namespace ofindex
