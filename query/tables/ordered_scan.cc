#include "query/tables/ordered_scan.h"

#include <algorithm>
#include <utility>

namespace ofindex {

void OrderedScan::Stop() {
  records_.reset();
  ordinals_ = {};
  static_cast<void>(held_.Set(0));
}

Result<void> OrderedScan::Begin(const RecordsPlan& plan, std::vector<Constraint> constraints) {
  records_.emplace(*store_, plan.order, std::move(constraints));
  columns_ = plan.order.size();
  wanted_ = std::max<uint64_t>(1, plan.wanted);
  place_ = 0;
  OFINDEX_TRY(Find());
  return Next();
}

Result<void> OrderedScan::Next() {
  if (place_ == wanted_ && wanted_ < store_->records()) {
    wanted_ = std::min(8 * wanted_, store_->records());
    OFINDEX_TRY(Find());
  }
  if (place_ == ordinals_.size()) {
    scan_->Finish();
    return {};
  }
  scan_->Visit(ordinals_[place_++]);
  return {};
}

Result<void> OrderedScan::Find() {
  const uint64_t fixed = OrderedRecords::MemoryOf(std::min(wanted_, store_->records()), columns_);
  OFINDEX_ASSIGN(ordinals_, records_->First(wanted_, [this, fixed](uint64_t bytes) -> Result<void> {
    OFINDEX_TRY(limits_->Check());
    if (held_.Set(fixed + bytes)) return {};
    return Fail(ErrorCode::kLimit, "SQL: the sorted records of the statement need more memory than it may use",
                "raise the memory limit, or add a LIMIT");
  }));
  static_cast<void>(held_.Set(ordinals_.capacity() * sizeof(ordinals_[0])));
  return {};
}

}  // namespace ofindex
