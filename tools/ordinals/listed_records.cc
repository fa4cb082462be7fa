#include "tools/ordinals/listed_records.h"

#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/sampling/sets/set_of.h"
#include "tools/ordinals/ordinal_list.h"

namespace ofindex {

Option AddIds(Verb& verb, std::string& path, const char* help) {
  return verb.AddOption("--ids", path, "FILE", StrCat(help, "; - is standard input")).NotEmpty();
}

namespace {

// Ordinals as a bitmap whose pages are made when they are first needed: a list of any length takes at most a bit for
// each record, and a short list of a large dataset little.
class OrdinalBitmap {
 public:
  void Add(uint64_t ordinal) {
    const uint64_t page = ordinal / kPageOrdinals;
    if (last_ == nullptr || page != last_page_) {
      last_ = &pages_[page];
      last_->resize(kPageOrdinals / 64);
      last_page_ = page;
    }
    const uint64_t bit = ordinal % kPageOrdinals;
    (*last_)[bit / 64] |= uint64_t{1} << bit % 64;
  }

  [[nodiscard]] OrdinalSet ToSet() const {
    OrdinalSet::Builder builder;
    for (const auto& [page, words] : pages_) {
      for (size_t w = 0; w < words.size(); ++w) builder.AddBits(page * kPageOrdinals + w * 64, words[w]);
    }
    return builder.Take();
  }

 private:
  static constexpr uint64_t kPageOrdinals = 32'768;

  std::map<uint64_t, std::vector<uint64_t>> pages_;
  std::vector<uint64_t>* last_ = nullptr;  // the page of the last ordinal; pages of a map stay where they are
  uint64_t last_page_ = 0;
};

Result<OrdinalSet> ListedSet(const std::string& path, uint64_t size, const std::atomic<bool>& cancel) {
  OFINDEX_ASSIGN(const std::shared_ptr<OrdinalList> list, OrdinalList::Open(path, size, cancel));
  OrdinalBitmap listed;
  for (uint64_t ordinal = 0;;) {
    OFINDEX_ASSIGN(const bool more, list->Next(ordinal));
    if (!more) return listed.ToSet();
    listed.Add(ordinal);
  }
}

}  // namespace

Result<View> ListedRecords(const std::string& path, const ColumnStore& columns, const Context& context) {
  OFINDEX_ASSIGN(const OrdinalSet listed, ListedSet(path, columns.ordinals(), context.progress.cancel));
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
