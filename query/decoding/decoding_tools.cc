#include "query/decoding/decoding_tools.h"

namespace ofindex {

ToolStash::~ToolStash() {
  for (auto& slot : slots_) delete slot.load(std::memory_order_acquire);
}

std::unique_ptr<DecodingTools> ToolStash::Take(const DecodingPlan& plan) {
  for (auto& slot : slots_) {
    if (DecodingTools* const tools = slot.exchange(nullptr, std::memory_order_acq_rel)) {
      return std::unique_ptr<DecodingTools>(tools);
    }
  }
  return std::make_unique<DecodingTools>(plan);
}

void ToolStash::Give(std::unique_ptr<DecodingTools> tools) {
  for (auto& slot : slots_) {
    DecodingTools* none = nullptr;
    if (!slot.compare_exchange_strong(none, tools.get(), std::memory_order_acq_rel)) continue;
    static_cast<void>(tools.release());
    return;
  }
}

}  // namespace ofindex
