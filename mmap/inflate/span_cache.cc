#include "mmap/inflate/span_cache.h"

#include <pthread.h>

#include <algorithm>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/shard_identity.h"
#include "base/text.h"

namespace ofindex {
namespace {

// Minimum bytes to inflate at a time, even if fewer are requested: the next records are often there.
constexpr uint64_t kAtLeast = 64 << 10;

// Number of forks between the process that loaded this code and this one.
std::atomic<uint64_t> forks{0};

uint64_t Forks() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

tl::unexpected<Error> NotAsIndexed(const Span::Source& source, uint64_t position) {
  return Fail(ErrorCode::kStale,
              StrCat(Printable(source.file.path()), "@", source.checkpoint.bit / 8,
                     ": the file no longer inflates from here to inflated byte ", position),
              kStaleHint);
}

}  // namespace

// Starts at the checkpoint and discards the bytes before the first missing one.
Result<void> Span::Begin(const Source& source) {
  const std::optional<std::vector<uint8_t>> window = WindowOf(source.checkpoint);
  if (!window) {
    return Fail(ErrorCode::kIndex,
                StrCat(Printable(source.file.path()), ": the checkpoint in the index at inflated byte ",
                       source.checkpoint.position, " is damaged"),
                "rebuild the index with `ofindex build --force`");
  }
  auto inflater = std::make_unique<SpanInflater>(source.file, source.file_bytes, source.compression,
                                                 source.checkpoint.bit, *window);
  const uint64_t until = begin_ + inflated_.load(std::memory_order_relaxed);
  std::vector<uint8_t> passed(source.checkpoint.position == until ? 0 : kAtLeast);
  for (uint64_t at = source.checkpoint.position; at < until;) {
    const uint64_t n = std::min<uint64_t>(passed.size(), until - at);
    OFINDEX_ASSIGN(const size_t got, inflater->Read(source.file, std::span(passed).first(n)));
    at += got;
    if (got < n) return NotAsIndexed(source, at);
  }
  inflater_ = std::move(inflater);
  return {};
}

Result<bool> Span::InflateTo(uint64_t position, const Source& source, IfBusy if_busy) {
  const uint64_t wanted = position - begin_;
  if (inflated_.load(std::memory_order_acquire) >= wanted) return true;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock && if_busy == IfBusy::kLeave) return false;
  if (!lock) lock.lock();
  if (inflated_.load(std::memory_order_relaxed) >= wanted) return true;
  Result<void> gone_on = Continue(wanted, source);
  // After an error the inflater's position is unknown, so the next call starts at the checkpoint again.
  if (!gone_on) inflater_.reset();
  OFINDEX_TRY(std::move(gone_on));
  return true;
}

Result<void> Span::Continue(uint64_t wanted, const Source& source) {
  if (!inflater_) OFINDEX_TRY(Begin(source));
  if (!bytes_) bytes_ = std::make_unique_for_overwrite<uint8_t[]>(end_ - begin_);
  const uint64_t have = inflated_.load(std::memory_order_relaxed);
  const uint64_t until = std::min(end_ - begin_, std::max(wanted, have + kAtLeast));
  OFINDEX_ASSIGN(const size_t got, inflater_->Read(source.file, std::span(bytes_.get() + have, until - have)));
  inflated_.store(have + got, std::memory_order_release);
  if (have + got < wanted) return NotAsIndexed(source, begin_ + have + got);
  if (have + got == end_ - begin_ && !source.continues) inflater_.reset();
  return {};
}

void Span::TransferInflater(Span& next) {
  if (inflated_.load(std::memory_order_acquire) != end_ - begin_) return;
  const std::scoped_lock lock(mutex_, next.mutex_);
  if (inflater_ && !next.inflater_ && !next.bytes_) next.inflater_ = std::move(inflater_);
}

struct SpanCache::State {
  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<uint64_t>()((key.shard ^ key.state << 32) * 0x9e3779b97f4a7c15 ^ key.begin);
    }
  };
  struct Entry {
    Key key;
    std::shared_ptr<Span> span;
  };

  uint64_t forks;
  State* of_parent;  // not deleted, because its locks may be held forever; kept so that its memory stays referenced
  std::mutex mutex;
  std::list<Entry> entries;  // most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> by_key;
  uint64_t bytes = 0;

  std::shared_ptr<Span> Find(const Key& key) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) return nullptr;
    entries.splice(entries.begin(), entries, found->second);
    return found->second->span;
  }

  static uint64_t Takes(const Span& span) { return span.end() - span.begin() + kOverheadBytes; }

  void Evict(uint64_t limit) {
    while (bytes > limit && entries.size() > 1) {
      const Entry& oldest = entries.back();
      bytes -= Takes(*oldest.span);
      by_key.erase(oldest.key);
      entries.pop_back();
    }
  }
};

SpanCache::~SpanCache() { delete state_.load(std::memory_order_acquire); }

// Two threads may get here at once; the second discards the state that it created.
SpanCache::State& SpanCache::Here() {
  const uint64_t here = Forks();
  State* state = state_.load(std::memory_order_acquire);
  if (state != nullptr && state->forks == here) return *state;
  auto fresh = std::make_unique<State>();
  fresh->forks = here;
  fresh->of_parent = state;
  if (state_.compare_exchange_strong(state, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *state;
}

std::shared_ptr<Span> SpanCache::Find(const Key& key) {
  State& state = Here();
  const std::lock_guard lock(state.mutex);
  return state.Find(key);
}

std::shared_ptr<Span> SpanCache::Get(const Key& key, uint64_t end) {
  State& state = Here();
  const std::lock_guard lock(state.mutex);
  if (std::shared_ptr<Span> found = state.Find(key)) return found;
  state.entries.push_front({key, std::make_shared<Span>(key.begin, end)});
  state.by_key.emplace(key, state.entries.begin());
  std::shared_ptr<Span> span = state.entries.front().span;
  state.bytes += State::Takes(*span);
  state.Evict(max_bytes_);
  return span;
}

}  // namespace ofindex
