#include "index/resume/saved_shards.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/fd_io.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/record.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/output/file_access.h"
#include "index/resume/saved_block.h"

namespace ofindex {
namespace {

// Raise the number with each change of what a scan finds in a shard, or of how it is saved: the next release takes up
// only files with its own number.
constexpr std::string_view kMagic = "ofindex saved 1\n";
constexpr uint32_t kBlock = 0;
constexpr uint32_t kEnd = 1;
constexpr uint64_t kHeadBytes = 56;
constexpr size_t kBufferBytes = size_t{1} << 18;

bool ReadAll(int fd, uint64_t offset, std::span<uint8_t> out) {
  size_t done = 0;
  return ReadFully(fd, offset, out, done) && done == out.size();
}

// The index is written to the same disk, and its build must not fail because of what is saved: some blocks of it may be
// written before the free room is looked at again.
constexpr uint64_t kSpareBytes = uint64_t{64} << 20;

// Returns whether the disk of `fd` has room for `bytes` and some more.
bool HasRoom(int fd, uint64_t bytes) {
  struct statvfs disk {};
  if (::fstatvfs(fd, &disk) != 0) return true;
  return uint64_t{disk.f_bavail} * disk.f_frsize >= bytes + kSpareBytes;
}

}  // namespace

struct SavedShards::Head {
  uint32_t kind = kBlock;
  uint32_t blocks = 0;
  uint64_t body_bytes = 0;
  uint64_t body_sum = 0;
  Digest128 key{};
  uint64_t records = 0;

  void AppendTo(std::vector<uint8_t>& bytes) const {
    std::array<uint8_t, kHeadBytes> head{};
    StoreLe32(head.data(), kind);
    StoreLe32(head.data() + 4, blocks);
    StoreLe64(head.data() + 8, body_bytes);
    StoreLe64(head.data() + 16, body_sum);
    std::copy(key.begin(), key.end(), head.begin() + 24);
    StoreLe64(head.data() + 40, records);
    StoreLe64(head.data() + 48, Xxh3(ByteView(head).first(48)));
    bytes.insert(bytes.end(), head.begin(), head.end());
  }

  static std::optional<Head> Parse(const std::array<uint8_t, kHeadBytes>& bytes) {
    Head head;
    head.kind = LoadLe32(bytes.data());
    head.blocks = LoadLe32(bytes.data() + 4);
    head.body_bytes = LoadLe64(bytes.data() + 8);
    head.body_sum = LoadLe64(bytes.data() + 16);
    std::copy_n(bytes.begin() + 24, head.key.size(), head.key.begin());
    head.records = LoadLe64(bytes.data() + 40);
    if (LoadLe64(bytes.data() + 48) != Xxh3(ByteView(bytes).first(48)) || head.kind > kEnd) return std::nullopt;
    const uint64_t blocks = uint64_t{head.blocks} + (head.kind == kBlock ? 1 : 0);
    if (head.records > blocks * kBlockRecords) return std::nullopt;
    return head;
  }
};

std::string SavedShards::PathFor(const std::string& temporary) {
  std::string_view target = temporary;
  if (target.ends_with(kTemporarySuffix)) target.remove_suffix(kTemporarySuffix.size());
  const size_t slash = target.rfind('/');
  const size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  return StrCat(target.substr(0, name), ".", target.substr(name), ".saved", kTemporarySuffix);
}

void SavedShards::RemoveAt(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && WhyNotOurs(info) == nullptr) ::unlink(path.c_str());
}

SavedShards SavedShards::Open(std::string path, std::vector<Digest128> keys) {
  SavedShards saved(std::move(path), std::move(keys));
  saved.OpenFile();
  if (saved.fd_ >= 0) saved.TakeUp();
  return saved;
}

SavedShards::SavedShards(SavedShards&& other) noexcept
    : path_(std::move(other.path_)),
      keys_(std::move(other.keys_)),
      places_(std::move(other.places_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      failed_(other.failed_),
      open_(other.open_),
      open_place_(other.open_place_),
      buffer_(std::move(other.buffer_)),
      encoded_(std::move(other.encoded_)) {}

SavedShards::~SavedShards() {
  if (fd_ >= 0) ::close(fd_);
}

void SavedShards::OpenFile() {
  fd_ = OpenRetrying(path_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (fd_ < 0) {
    failed_ = errno != ENOENT;
  } else if (::fstat(fd_, &info) == 0 && WhyNotOurs(info) == nullptr) {
    size_ = static_cast<uint64_t>(info.st_size);
  } else {
    ::close(std::exchange(fd_, -1));
    failed_ = true;
  }
}

// Finds the saved shards, and sets `size_` to the end of the last one.
void SavedShards::TakeUp() {
  std::array<uint8_t, kMagic.size()> magic{};
  if (!ReadAll(fd_, 0, magic) || AsText(magic) != kMagic) {
    Remove();  // of another version, or destroyed by a power failure
    failed_ = false;
    return;
  }
  std::map<Digest128, size_t> numbers;
  for (size_t i = 0; i < keys_.size(); ++i) numbers.emplace(keys_[i], i);
  uint64_t end = kMagic.size();
  Place place{.begin = end};
  Digest128 key{};
  for (uint64_t at = end;;) {
    const std::optional<Head> head = HeadAt(at);
    if (!head || head->blocks != place.blocks || (head->blocks != 0 && head->key != key)) break;
    key = head->key;
    at += kHeadBytes + head->body_bytes;
    place.records = head->records;
    if (head->kind == kBlock) {
      ++place.blocks;
      continue;
    }
    if (const auto found = numbers.find(key); found != numbers.end()) places_[found->second] = place;
    end = at;
    place = Place{.begin = at};
  }
  size_ = end;
  if (shards() == 0 || ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
    Remove();
    failed_ = false;
  }
}

size_t SavedShards::shards() const {
  return static_cast<size_t>(std::count_if(places_.begin(), places_.end(), [](const auto& place) { return place; }));
}

uint64_t SavedShards::records() const {
  uint64_t records = 0;
  for (const std::optional<Place>& place : places_) records += place ? place->records : 0;
  return records;
}

void SavedShards::Create() {
  fd_ = OpenRetrying(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  failed_ = fd_ < 0;
  size_ = 0;
  buffer_.assign(kMagic.begin(), kMagic.end());
}

void SavedShards::Append(uint32_t kind, size_t shard, const std::vector<uint8_t>& body) {
  const Head head{.kind = kind,
                  .blocks = open_place_.blocks,
                  .body_bytes = body.size(),
                  .body_sum = Xxh3(body),
                  .key = keys_[shard],
                  .records = open_place_.records};
  head.AppendTo(buffer_);
  buffer_.insert(buffer_.end(), body.begin(), body.end());
  if (buffer_.size() >= kBufferBytes) Flush();
}

void SavedShards::Flush() {
  if (!HasRoom(fd_, 0) || !WriteFully(fd_, size_, buffer_)) return Remove();
  size_ += buffer_.size();
  buffer_.clear();
}

void SavedShards::Add(size_t shard, const BuiltBlock& block) {
  if (fd_ < 0 && !failed_) Create();
  if (failed_) return;
  if (open_ != shard) {
    open_ = shard;
    open_place_ = {.begin = size_ + buffer_.size()};
  }
  encoded_.clear();
  AppendSaved(block, encoded_);
  open_place_.records += block.row.records;
  Append(kBlock, shard, encoded_);
  ++open_place_.blocks;
}

void SavedShards::End(size_t shard, const ShardFindings& findings) {
  if (fd_ < 0 && !failed_) Create();
  if (failed_) return;
  if (open_ != shard) open_place_ = {.begin = size_ + buffer_.size()};
  open_.reset();
  encoded_.clear();
  AppendSaved(findings, encoded_);
  Append(kEnd, shard, encoded_);
  if (failed_) return;
  Flush();
  if (!failed_) places_[shard] = open_place_;
}

std::optional<SavedShards::Head> SavedShards::HeadAt(uint64_t offset) const {
  std::array<uint8_t, kHeadBytes> bytes{};
  if (!Fits(offset, kHeadBytes, size_) || !ReadAll(fd_, offset, bytes)) return std::nullopt;
  const std::optional<Head> head = Head::Parse(bytes);
  return head && Fits(offset + kHeadBytes, head->body_bytes, size_) ? head : std::nullopt;
}

Result<std::vector<uint8_t>> SavedShards::BodyAt(uint64_t offset, const Head& head) const {
  std::vector<uint8_t> body(head.body_bytes);
  if (ReadAll(fd_, offset + kHeadBytes, body) && Xxh3(body) == head.body_sum) return body;
  return NotAsWritten();
}

tl::unexpected<Error> SavedShards::NotAsWritten() const {
  return Fail(ErrorCode::kIo, StrCat(Printable(path_), ": not as it was written"), "run the build again");
}

Result<ShardFindings> SavedShards::Read(size_t shard, const VisitBlock& visit) const {
  assert(Has(shard));
  uint64_t at = places_[shard]->begin;
  uint64_t records = 0;
  for (uint32_t block = 0;; ++block) {
    const std::optional<Head> head = HeadAt(at);
    if (!head || head->key != keys_[shard] || head->blocks != block) return NotAsWritten();
    OFINDEX_ASSIGN(const std::vector<uint8_t> body, BodyAt(at, *head));
    at += kHeadBytes + head->body_bytes;
    if (head->kind == kEnd) {
      std::optional<ShardFindings> findings = ParseSavedFindings(body);
      const bool is_whole = block == places_[shard]->blocks && records == places_[shard]->records;
      if (findings && is_whole) return std::move(*findings);
      return NotAsWritten();
    }
    std::optional<BuiltBlock> parsed = ParseSavedBlock(body);
    if (!parsed) return NotAsWritten();
    records += parsed->row.records;
    OFINDEX_TRY(visit(std::move(*parsed)));
  }
}

void SavedShards::ForgetDamaged(const std::atomic<bool>& cancel) {
  const auto go_on = [&](BuiltBlock) { return cancel ? Result<void>(Interrupted()) : Result<void>(); };
  for (size_t shard = 0; shard < places_.size(); ++shard) {
    if (!places_[shard]) continue;
    const Result<ShardFindings> read = Read(shard, go_on);
    if (cancel) return;
    if (!read) places_[shard].reset();
  }
}

bool SavedShards::LeavesRoom() const { return HasRoom(fd_, size_ + size_ / 4); }

void SavedShards::Remove() {
  if (fd_ >= 0) {
    if (IsStillAt(fd_, path_).value_or(false)) ::unlink(path_.c_str());
    ::close(std::exchange(fd_, -1));
  }
  places_.assign(keys_.size(), std::nullopt);
  buffer_.clear();
  failed_ = true;
}

}  // namespace ofindex
