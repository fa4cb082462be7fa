#include "mmap/files/lent_bytes.h"

#include <unistd.h>

#include "base/text.h"
#include "mmap/files/fault_guard.h"

namespace ofindex {

Result<LentBytes> LentBytes::Map(const File& file, uint64_t offset, uint64_t n) {
  OFINDEX_ASSIGN(MappedFile mapped, MappedFile::Map(file, n, offset));
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(mapped.bytes().data());
  FaultGuard::Install();
  KeptPages* const kept = KeptPages::Keep(begin / page * page, (begin + n + page - 1) / page * page);
  if (kept == nullptr) {
    return Fail(ErrorCode::kLimit, StrCat(Printable(file.path()), ": too many records are lent at once"),
                "copy the record");
  }
  return LentBytes(std::move(mapped), kept);
}

}  // namespace ofindex
