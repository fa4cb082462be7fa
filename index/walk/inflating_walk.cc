#include "index/walk/inflating_walk.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "base/threads.h"
#include "mmap/inflate/inflated_bytes.h"

namespace ofindex {
namespace {

constexpr size_t kPieceBytes = size_t{512} << 10;
constexpr uint64_t kAheadBytes = uint64_t{8} << 20;  // inflated and not yet read
constexpr size_t kMaxPieces = 32;                    // 16 MiB: as much is kept behind the walk as ahead of it
constexpr uint64_t kAgainBytes = uint64_t{20} << 20;

// A window is stored twice, in the index and in its map, with some 40 bytes of overhead each time. With at least this
// many file bytes per window byte, windows take at most 3 % of the file. In a file far smaller than its inflated bytes,
// checkpoints are therefore spaced further apart, up to four times the requested distance.
constexpr uint64_t kFileBytesPerWindowByte = 70;
constexpr uint64_t kRowBytes = 40;
constexpr uint64_t kMaxCheckpointSpacing = 4;

// The ratio is not checked before this much was inflated: zero bytes at the front of a file are no bomb.
constexpr uint64_t kFreeBytes = uint64_t{64} << 20;

}  // namespace

size_t InflatingWalk::Known::size() const {
  const std::lock_guard lock(walk_.mutex_);
  return walk_.checkpoints_.size();
}

Result<Checkpoint> InflatingWalk::Known::At(size_t i) const {
  const std::lock_guard lock(walk_.mutex_);
  const StoredCheckpoint& kept = walk_.checkpoints_[i];
  return Checkpoint{.position = kept.position, .bit = kept.bit, .stored = kept.stored};
}

InflatingWalk::InflatingWalk(std::shared_ptr<const File> file, uint64_t size, Compression compression,
                             const InflateOptions& options, bool ahead, Progress& progress)
    : file_(std::move(file)),
      size_(size),
      compression_(compression),
      options_(options),
      progress_(progress),
      inflater_(*file_, size, compression),
      again_(kAgainBytes) {
  if (!ahead) return;
  // Without a thread, the reader inflates.
  if (auto started = StartThread([this] { RunAhead(); })) thread_ = std::move(*started);
}

InflatingWalk::~InflatingWalk() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void InflatingWalk::RunAhead() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || produced_ < std::max(read_ + kAheadBytes, wanted_); });
      if (stopped_ || ended_) return;
    }
    Produce();
  }
}

// Inflates the next piece. Only one thread ever calls this.
void InflatingWalk::Produce() {
  auto piece = WithMemory("inflated bytes", [&] { return NextPiece(); });
  const std::lock_guard lock(mutex_);
  auto kept = WithMemory("inflated bytes", [&]() -> Result<void> {
    if (!piece) return tl::unexpected(piece.error());
    ended_ = piece->bytes.size() < kPieceBytes;
    produced_ = piece->begin + piece->bytes.size();
    if (!piece->bytes.empty()) pieces_.push_back(std::move(*piece));
    while (pieces_.size() > kMaxPieces) pieces_.pop_front();
    return {};
  });
  if (!kept) {
    ended_ = true;
    error_ = std::move(kept).error();
  }
  changed_.notify_all();
}

Result<InflatingWalk::Piece> InflatingWalk::NextPiece() {
  Piece piece{.begin = inflater_.position(), .bytes = std::vector<uint8_t>(kPieceBytes)};
  size_t filled = 0;
  for (auto halt = Inflater::Halt::kBlock; halt == Inflater::Halt::kBlock;) {
    if (progress_.cancel) return Interrupted();
    size_t got = 0;
    OFINDEX_ASSIGN(halt, inflater_.Read(std::span(piece.bytes).subspan(filled), /*to_blocks=*/true, got));
    filled += got;
    if (halt == Inflater::Halt::kBlock) KeepCheckpoint();
    if (halt == Inflater::Halt::kEnd) piece.bytes.resize(filled);
  }
  OFINDEX_TRY(CheckLimits());
  const uint64_t done = std::min(inflater_.bit() / 8, size_);
  progress_.bytes_done.fetch_add(done - std::exchange(file_bytes_done_, done), std::memory_order_relaxed);
  return piece;
}

// Records a checkpoint at the start of a deflate block.
void InflatingWalk::KeepCheckpoint() {
  const uint64_t position = inflater_.position();
  const uint64_t bit = inflater_.bit();
  if (!checkpoints_.empty()) {
    const StoredCheckpoint& last = checkpoints_.back();
    const uint64_t output = position - last.position;
    const uint64_t input = (bit - last.bit) / 8;
    const auto worth = [&] {
      return input >= kFileBytesPerWindowByte * (window_bytes_ + kRowBytes) ||
             output >= kMaxCheckpointSpacing * options_.checkpoint_bytes;
    };
    if (output < options_.checkpoint_bytes || !worth()) return;
  }
  std::vector<uint8_t> stored = StoreWindow(position, bit, inflater_.Window());
  window_bytes_ = stored.size();
  const std::lock_guard lock(mutex_);
  checkpoints_.push_back({position, bit, std::move(stored)});
}

Result<void> InflatingWalk::CheckLimits() const {
  const uint64_t inflated = inflater_.position();
  const uint64_t taken = std::max<uint64_t>(inflater_.bit() / 8, 1);
  const bool too_large = inflated > options_.max_bytes;
  if (!too_large && (inflated <= kFreeBytes || inflated / options_.max_ratio <= taken)) return {};
  return Fail(
      ErrorCode::kLimit,
      StrCat(Printable(path()), "@", taken, ": it has inflated to ", FormatCount(inflated), " bytes so far, over ",
             too_large ? StrCat("the limit of ", FormatCount(options_.max_bytes), " per shard")
                       : StrCat("the limit of ", FormatCount(options_.max_ratio), " per byte of the file")),
      too_large ? Hint("if you trust the file, raise the limit with `ofindex build --max-inflated`")
                : Hint("if you trust the file, raise the limit with `ofindex build --max-ratio`"));
}

// Waits until the bytes before `end` are inflated, or the stream has ended, and returns how many bytes are available.
Result<uint64_t> InflatingWalk::WaitFor(uint64_t end) const {
  std::unique_lock lock(mutex_);
  wanted_ = end;
  changed_.notify_all();
  while (produced_ < end && !ended_) {
    if (thread_.joinable()) {
      changed_.wait(lock);
    } else {
      lock.unlock();
      const_cast<InflatingWalk*>(this)->Produce();
      lock.lock();
    }
  }
  wanted_ = 0;
  if (error_) return tl::unexpected(*error_);
  return produced_;
}

Result<uint64_t> InflatingWalk::Size(uint64_t wanted) const { return WaitFor(wanted); }

Result<size_t> InflatingWalk::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  OFINDEX_ASSIGN(const uint64_t size,
                 WaitFor(offset + std::min<uint64_t>(out.size(), std::numeric_limits<uint64_t>::max() - offset)));
  if (offset >= size) return size_t{0};
  const uint64_t end = std::min<uint64_t>(offset + out.size(), size);
  {
    const std::lock_guard lock(mutex_);
    read_ = std::max(read_, end);
    changed_.notify_all();
    if (!pieces_.empty() && offset >= pieces_.front().begin) {
      for (uint64_t at = offset; at < end;) {
        const Piece& piece = pieces_[(at - pieces_.front().begin) / kPieceBytes];
        const uint64_t from = at - piece.begin;
        const uint64_t n = std::min<uint64_t>(end - at, piece.bytes.size() - from);
        std::memcpy(out.data() + (at - offset), piece.bytes.data() + from, n);
        at += n;
      }
      return end - offset;
    }
  }
  return ReadAgain(offset, out.first(end - offset));
}

// Reads bytes that were dropped. The span after the last checkpoint still grows, so it is not cached under a fixed key.
Result<size_t> InflatingWalk::ReadAgain(uint64_t offset, std::span<uint8_t> out) const {
  if (progress_.cancel) return Interrupted();
  uint64_t produced = 0;
  bool open = false;
  {
    const std::lock_guard lock(mutex_);
    produced = produced_;
    open = !ended_ && offset + out.size() > checkpoints_.back().position;
  }
  const CompressedFacts facts{.compression = compression_, .file_bytes = size_, .inflated_bytes = produced};
  return InflatedBytes(file_, facts, known_, again_, open ? produced : 0).ReadAt(offset, out);
}

Result<StreamFindings> InflatingWalk::Finish() {
  OFINDEX_ASSIGN(const uint64_t inflated, WaitFor(std::numeric_limits<uint64_t>::max()));
  StreamFindings findings{.inflated_bytes = inflated, .checkpoints = {}, .damage = inflater_.damage()};
  for (StoredCheckpoint& checkpoint : checkpoints_) findings.checkpoints.push_back(std::move(checkpoint));
  return findings;
}

}  // namespace ofindex
