#include "index/merge/part_sources.h"

#include <utility>

#include "base/allocation.h"
#include "base/threads.h"

namespace ofindex {

PartSources::~PartSources() {
  if (thread_.joinable()) thread_.join();
}

Result<MergeSource> PartSources::Next() {
  if (thread_.joinable()) thread_.join();
  Result<MergeSource> source = std::move(*opened_);
  const PartInput& part = parts_[next_++];
  if (source && source->identity() != part.identity) return ReplacedIndex(part.path);
  if (source) OpenNext();
  return source;
}

// Opens the next part here if there is no thread for it.
void PartSources::OpenNext() {
  opened_.reset();
  if (next_ == parts_.size()) return;
  const auto open = [this, &part = parts_[next_]] {
    opened_ = WithMemory("a part", [&] { return MergeSource::Open(part.path); });
  };
  Result<std::thread> thread = StartThread(open);
  if (thread) {
    thread_ = std::move(*thread);
  } else {
    open();
  }
}

}  // namespace ofindex
