#include "tools/ordinals/ordinal_source.h"

#include <memory>
#include <utility>
#include <vector>

#include "query/ordinals.h"
#include "query/sampling/reading_facts.h"
#include "tools/ordinals/ordinal_list.h"

namespace ofindex {
namespace {

// The selected records in [begin, end) of the dataset. Expands the ordinals of one block at a time.
class SelectedOrdinals {
 public:
  SelectedOrdinals(Selection selection, OrdinalRange range) : selection_(std::move(selection)), range_(range) {}

  bool Next(uint64_t& ordinal) {
    while (at_ == ordinals_.size()) {
      if (block_ == selection_.blocks().size()) return false;
      ordinals_.clear();
      at_ = 0;
      selection_.ForEachIn(block_++, [this](uint64_t one) {
        if (one >= range_.begin && one < range_.end) ordinals_.push_back(one);
        return true;
      });
    }
    ordinal = ordinals_[at_++];
    return true;
  }

 private:
  Selection selection_;
  OrdinalRange range_;
  std::vector<uint64_t> ordinals_;
  size_t at_ = 0;
  size_t block_ = 0;
};

}  // namespace

NextOrdinal OrdinalsOf(View view) {
  return [view = std::move(view), at = uint64_t{0}](uint64_t& ordinal) mutable -> Result<bool> {
    if (at == view.size()) return false;
    ordinal = view.At(at++);
    return true;
  };
}

NextOrdinal OrdinalsOf(std::vector<uint64_t> ordinals) {
  return [ordinals = std::move(ordinals), at = size_t{0}](uint64_t& ordinal) mutable -> Result<bool> {
    if (at == ordinals.size()) return false;
    ordinal = ordinals[at++];
    return true;
  };
}

Result<NextOrdinal> OrdinalsListed(const std::string& path, const Dataset& dataset, const Context& context) {
  OFINDEX_ASSIGN(const std::shared_ptr<OrdinalList> list,
                 OrdinalList::Open(path, dataset.size(), context.progress.cancel));
  return NextOrdinal([list](uint64_t& ordinal) { return list->Next(ordinal); });
}

NextOrdinal OrdinalsFrom(Sampler sampler) {
  auto state = std::make_shared<std::pair<Sampler, std::vector<uint64_t>>>(std::move(sampler), 0);
  return [state, at = size_t{0}](uint64_t& ordinal) mutable -> Result<bool> {
    auto& [source, drawn] = *state;
    if (at == drawn.size()) {
      drawn.resize(Sampler::kDrawnAtOnce);
      drawn.resize(source.Next(drawn));
      at = 0;
      if (drawn.empty()) return false;
    }
    ordinal = drawn[at++];
    return true;
  };
}

Result<NextOrdinal> OrdinalsOfRange(const std::string& text, const Dataset& dataset) {
  OFINDEX_ASSIGN(const OrdinalRange range, ParseOrdinals(text, dataset.size()));
  OFINDEX_ASSIGN(const View present, PresentRecords(dataset.reader()));
  return OrdinalsOf(present.Between(range.begin, range.end));
}

Result<NextOrdinal> OrdinalsWhere(const Expression& expression, const std::string& text, const Dataset& dataset,
                                  const Context& context) {
  OFINDEX_ASSIGN(const OrdinalRange range, ParseOrdinals(text, dataset.size()));
  OFINDEX_ASSIGN(Selection selection, SelectRecords(*dataset.snapshot(), expression, context));
  dataset.snapshot()->CloseColumns();  // their chunks are not needed any more
  auto selected = std::make_shared<SelectedOrdinals>(std::move(selection), range);
  return NextOrdinal([selected](uint64_t& ordinal) -> Result<bool> { return selected->Next(ordinal); });
}

}  // namespace ofindex
