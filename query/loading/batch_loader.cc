#include "query/loading/batch_loader.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "query/loading/loader_state.h"

namespace ofindex {
namespace {

// More makes no sense; and the memory for as many can be asked for.
constexpr uint64_t kMostRecords = uint64_t{1} << 28;
constexpr size_t kMostBatches = size_t{1} << 20;

}  // namespace

Result<std::unique_ptr<BatchLoader>> BatchLoader::Start(std::shared_ptr<const PayloadSource> source,
                                                        std::shared_ptr<const BatchDecoder> decoder, NextOrdinals order,
                                                        Options options) {
  if (options.batch_size == 0 || options.batch_size > kMostRecords) {
    return Fail(ErrorCode::kUsage, StrCat("batches of ", options.batch_size, " records; expected 1 to ", kMostRecords));
  }
  if (options.prefetch == 0 || options.prefetch > kMostBatches) {
    return Fail(ErrorCode::kUsage, StrCat("prefetch of ", options.prefetch, " batches; expected 1 to ", kMostBatches));
  }
  return WithMemory("a loader of batches", [&]() -> Result<std::unique_ptr<BatchLoader>> {
    auto state = std::make_unique<LoaderState>(std::move(source), std::move(decoder), std::move(order), options);
    std::unique_ptr<BatchLoader> loader(new BatchLoader(std::move(state)));
    loader->state_->StartThreads();
    return loader;
  });
}

BatchLoader::BatchLoader(std::unique_ptr<LoaderState> state) : state_(std::move(state)), process_(::getpid()) {}

BatchLoader::~BatchLoader() {
  // Threads that do not exist cannot be joined, and may have held any lock.
  if (::getpid() != process_) static_cast<void>(state_.release());
}

Result<BatchLoader::Outcome> BatchLoader::Next(std::chrono::milliseconds patience, Loaded& out) {
  if (::getpid() != process_) {
    return Fail(ErrorCode::kUsage, "the loader belongs to another process", "start one in each process after the fork");
  }
  const std::chrono::milliseconds most = std::chrono::hours(24);
  return state_->Next(std::clamp(patience, std::chrono::milliseconds(0), most), out);
}

}  // namespace ofindex
