#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/codes/code_memory.h"
#include "query/crossfilter/dimension.h"

namespace ofindex {

/// The charts of a dataset, which all pages share: each is made when it is first asked for. If the codes of another one
/// do not fit in the memory, those of the charts that were not asked for lately are dropped. Thread-safe.
class Charts {
 public:
  Charts(std::shared_ptr<ColumnStore> store, uint64_t code_bytes)
      : store_(std::move(store)), memory_(std::make_shared<CodeMemory>(code_bytes)) {}

  /// Returns the bins or bars of `column`. Errors: those of BinningOf.
  [[nodiscard]] Result<std::shared_ptr<const Dimension>> Of(const Column& column, const Progress& progress);

  /// Returns the charts of `column` that are made: at most one.
  [[nodiscard]] std::vector<std::shared_ptr<const Dimension>> Made(const Column& column);

  [[nodiscard]] uint64_t code_bytes() const { return memory_->reserved(); }

 private:
  struct Entry {
    std::mutex making;  // held while the chart is made, so that it is made once
    std::shared_ptr<const Dimension> chart = nullptr;
    uint64_t used = 0;
  };

  [[nodiscard]] Result<std::shared_ptr<const Dimension>> Make(const Column& column, const Progress& progress);
  [[nodiscard]] bool DropOldest(const std::shared_ptr<Entry>& but);

  static constexpr uint64_t kUsedLately = 32;  // charts that a page shows at once

  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<CodeMemory> memory_;

  std::mutex mutex_;                                    // guards the following, and the members of entries but `making`
  std::map<uint64_t, std::shared_ptr<Entry>> entries_;  // by Column::number()
  uint64_t uses_ = 0;
};

}  // namespace ofindex
