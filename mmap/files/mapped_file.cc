#include "mmap/files/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include "base/text.h"

namespace ofindex {
namespace {

namespace ipc = boost::interprocess;

// The handle that Boost needs to map a file. It holds the descriptor that is already open and checked, so the file that
// is mapped is the one that was checked, whatever happens to its name meanwhile.
class OpenFile {
 public:
  explicit OpenFile(const File& file) : fd_(file.fd()) {}

  [[nodiscard]] ipc::mapping_handle_t get_mapping_handle() const {
    ipc::mapping_handle_t handle{};
    handle.handle = fd_;
    handle.is_xsi = false;
    return handle;
  }

 private:
  int fd_;
};

// Advises on all pages that have some of the bytes. A region, too, may begin inside a page.
void Advise(ByteView bytes, int advice) {
  const uint64_t before = reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  static_cast<void>(::madvise(const_cast<uint8_t*>(bytes.data()) - before, before + bytes.size(), advice));
}

}  // namespace

struct MappedFile::Region {
  ipc::mapped_region region;
};

MappedFile::MappedFile() = default;
MappedFile::MappedFile(MappedFile&&) noexcept = default;
MappedFile& MappedFile::operator=(MappedFile&&) noexcept = default;
MappedFile::~MappedFile() = default;

Result<MappedFile> MappedFile::Map(const File& file, uint64_t size, uint64_t offset) {
  MappedFile mapped;
  if (size == 0) return mapped;
  try {
    mapped.region_ = std::make_unique<Region>(
        Region{ipc::mapped_region(OpenFile(file), ipc::read_only, static_cast<ipc::offset_t>(offset), size)});
  } catch (const ipc::interprocess_exception& error) {
    const bool out_of_maps = error.get_native_error() == ENOMEM;
    return Fail(out_of_maps ? ErrorCode::kLimit : ErrorCode::kIo,
                StrCat(Printable(file.path()), ": cannot map ", size, " bytes: ", error.what()),
                out_of_maps ? Hint("raise vm.max_map_count or `ulimit -v`, or read with io=pread") : Hint());
  }
  mapped.bytes_ = ByteView(static_cast<const uint8_t*>(mapped.region_->region.get_address()), size);
  return mapped;
}

void MappedFile::AdviseRandom() const {
  if (region_) static_cast<void>(region_->region.advise(ipc::mapped_region::advice_random));
}

void MappedFile::Prefetch(uint64_t offset, uint64_t n) const {
  // Boost can call madvise only on a whole region; a batch needs only the pages of its records.
  if (Fits(offset, n, bytes_.size()) && n > 0) Advise(bytes_.subspan(offset, n), MADV_WILLNEED);
}

void MappedFile::Release() const {
  if (region_) Advise(bytes_, MADV_DONTNEED);
}

}  // namespace ofindex
