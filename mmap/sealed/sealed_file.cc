#include "mmap/sealed/sealed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/allocation.h"
#include "base/bytes.h"
#include "base/text.h"

namespace ofindex {

// Memory that is never touched takes none, so a huge file of which only some blocks are read costs little. Untrusted
// headers give the number.
SealedFile::Marks SealedFile::ZeroedMarks(uint64_t count) {
  void* const memory = std::calloc(std::max<uint64_t>(count, 1), sizeof(std::atomic<uint32_t>));
  if (memory == nullptr) throw std::bad_alloc();
  return Marks(static_cast<std::atomic<uint32_t>*>(memory));
}

tl::unexpected<Error> SealedFile::NotOfKind(const std::string& what) const {
  return Fail(ErrorCode::kIndex, StrCat(Printable(path()), ": ", what), kind_.hint);
}

tl::unexpected<Error> SealedFile::Rewritten() const {
  return Fail(ErrorCode::kStale, StrCat(Printable(path()), ": the file was truncated or rewritten since it was opened"),
              "open the dataset again");
}

// Names the first damaged byte range, which another look at the file has to find: the guarded section has no place for
// details.
tl::unexpected<Error> SealedFile::Damaged() const {
  const Result<void> checked = CheckAll();
  if (!checked) return tl::unexpected(checked.error());
  return NotOfKind("its sections contradict each other");
}

Result<SealedFile> SealedFile::Open(const std::string& path, SealedKind kind, const std::string& shown) {
  Result<File> opened = File::OpenRead(path, shown);
  if (!opened && (opened.error().system == ENOENT || opened.error().system == ENOTDIR)) {
    const std::string& name = shown.empty() ? path : shown;
    return Fail(ErrorCode::kNotFound, StrCat(Printable(name), ": no such file; expected ", kind.noun), kind.hint);
  }
  if (!opened) return tl::unexpected(std::move(opened).error());
  SealedFile sealed(std::move(*opened), std::move(kind));
  const File& file = sealed.watch_.file();
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(0, sealed.header_bytes_));
  SealedHeader& header = sealed.header_;
  const std::string_view magic = sealed.kind_.magic;
  if (n != kSealedHeaderBytes || !AsText(sealed.header_bytes_).starts_with(magic)) {
    return sealed.NotOfKind(StrCat("not ", sealed.kind_.noun, ", or truncated to ", FormatCount(n), " bytes"));
  }
  if (!header.Decode(magic, sealed.header_bytes_.data())) return sealed.NotOfKind("its header is damaged");
  if (header.version != sealed.kind_.version) {
    return sealed.NotOfKind(
        StrCat(sealed.kind_.noun, " of another version; expected ", sealed.kind_.version, ", got ", header.version));
  }
  if (header.file_bytes != facts.size) {
    return sealed.NotOfKind(StrCat(sealed.kind_.noun, " of the wrong size; expected ", FormatCount(header.file_bytes),
                                   " bytes, got ", FormatCount(facts.size)));
  }
  if (!header.Sound()) return sealed.NotOfKind("its header is damaged: a section lies outside the file");
  // The header gives the sizes, and the header is untrusted.
  return WithMemory("the checksums of a file next to an index", [&]() -> Result<SealedFile> {
    OFINDEX_TRY(sealed.ReadRoots(file));
    OFINDEX_ASSIGN(sealed.file_, MappedFile::Map(file, facts.size));
    sealed.data_ = sealed.file_.bytes().data();
    sealed.file_.AdviseRandom();
    sealed.marks_ = ZeroedMarks(header.blocks() + header.check_blocks());
    return std::move(sealed);
  });
}

Result<void> SealedFile::ReadRoots(const File& file) {
  roots_.resize(header_.check_blocks() * 8);
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(header_.roots_at(), roots_));
  if (n == roots_.size() && Xxh3(roots_) == header_.roots_hash) return {};
  return NotOfKind("its checksums are damaged");
}

Result<void> SealedFile::CheckOrigin(const IndexOrigin& index, const std::string& shown) const {
  const IndexOrigin& own = header_.origin;
  if (own == index) return {};
  std::string what = StrCat("made for another build of ", Printable(shown));
  if (own.generation != index.generation) {
    what = StrCat("made for generation ", own.generation, " of an index; expected generation ", index.generation,
                  ", that of ", Printable(shown));
  } else if (own.id != index.id) {
    what = StrCat("made for another dataset, with id ", ToHex(own.id).substr(0, 16), "; expected ",
                  ToHex(index.id).substr(0, 16), ", that of ", Printable(shown));
  }
  return Fail(ErrorCode::kStale, StrCat(Printable(path()), ": ", kind_.noun, " ", what), kind_.hint);
}

// Called before the file is trusted in its present state. From then on, no block counts as compared: a block that was
// compared earlier may have changed since. A file that was changed in this tick of the clock could change again without
// a trace, so the tick has to end first.
Result<void> SealedFile::CheckHeader() const {
  tag_->fetch_add(1, std::memory_order_acq_rel);
  OFINDEX_ASSIGN(const FileFacts facts, watch_.file().Facts());
  static_cast<void>(WaitForNextTick(facts));
  std::array<uint8_t, kSealedHeaderBytes> header{};
  OFINDEX_TRY(watch_.file().ReadAt(0, header));
  if (facts.size != header_.file_bytes || header != header_bytes_) return Rewritten();
  return {};
}

// Runs in a guarded section. Compares a block of the body with its checksum, and the checksum with its own.
bool SealedFile::CheckBlock(uint64_t block, uint32_t tag) const {
  if (!CheckChecks(block * 8 / kSealedBlockBytes, tag)) return false;
  const uint64_t begin = block * kSealedBlockBytes;
  const uint64_t n = std::min(kSealedBlockBytes, header_.body_bytes - begin);
  file_.Prefetch(kSealedHeaderBytes + begin, n);
  const uint64_t expected = LoadLe64(data_ + header_.checks_at() + 8 * block);
  if (Xxh3(ByteView(data_ + kSealedHeaderBytes + begin, n)) != expected) return false;
  marks_[block].store(tag, std::memory_order_release);
  return true;
}

bool SealedFile::CheckChecks(uint64_t block, uint32_t tag) const {
  std::atomic<uint32_t>& mark = marks_[header_.blocks() + block];
  if (mark.load(std::memory_order_acquire) == tag) return true;
  const uint64_t begin = block * kSealedBlockBytes;
  const uint64_t n = std::min(kSealedBlockBytes, header_.blocks() * 8 - begin);
  if (Xxh3(ByteView(data_ + header_.checks_at() + begin, n)) != LoadLe64(roots_.data() + 8 * block)) return false;
  mark.store(tag, std::memory_order_release);
  return true;
}

Result<void> SealedFile::Copy(uint32_t section, uint64_t offset, std::span<uint8_t> out) const {
  return Read([&](const Bytes& bytes) {
    const uint8_t* const from = bytes.At(section, offset, out.size());
    if (from != nullptr && !out.empty()) std::memcpy(out.data(), from, out.size());
    return from != nullptr;
  });
}

Result<void> SealedFile::CheckAll(const Progress& progress) const {
  constexpr uint64_t kBlocksAtOnce = 256;
  volatile uint64_t bad = UINT64_MAX;
  const auto check = [&](uint64_t first, uint64_t last) -> Result<void> {
    const uint32_t tag = tag_->load(std::memory_order_acquire);
    const bool whole = FaultGuard::Run([&] {
      for (uint64_t block = first; bad == UINT64_MAX && block < last; ++block) {
        if (!CheckBlock(block, tag)) bad = block;
      }
    });
    return whole ? Result<void>() : Rewritten();
  };
  for (uint64_t first = 0; first < header_.blocks() && bad == UINT64_MAX; first += kBlocksAtOnce) {
    if (progress.cancel) return Interrupted();
    const uint64_t last = std::min(header_.blocks(), first + kBlocksAtOnce);
    OFINDEX_TRY(watch_.Consistent([this] { return CheckHeader(); }, [&] { return check(first, last); }));
  }
  if (bad == UINT64_MAX) return {};
  return Fail(ErrorCode::kIndex,
              StrCat(Printable(path()), "@", kSealedHeaderBytes + bad * kSealedBlockBytes,
                     ": these bytes differ from their checksum: ", kind_.noun, " that is damaged"),
              kind_.hint);
}

}  // namespace ofindex
