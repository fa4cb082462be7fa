#include "base/storage.h"

#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <cstdint>
#include <fstream>

#include "base/text.h"

namespace ofindex {
namespace {

// Reads the block device's own flag; that of a partition is in the parent folder.
bool Rotates(uint64_t device) {
  const std::string folder = StrCat("/sys/dev/block/", major(device), ":", minor(device), "/");
  for (const char* name : {"queue/rotational", "../queue/rotational"}) {
    std::ifstream file(folder + name);
    char flag = '0';
    if (file.get(flag)) return flag == '1';
  }
  return false;
}

}  // namespace

// Magic numbers from linux/magic.h; Lustre and CephFS define their own.
Storage StorageOf(const File& file) {
  struct statfs info {};
  if (::fstatfs(file.fd(), &info) != 0) return Storage::kSolid;
  switch (static_cast<uint32_t>(info.f_type)) {
    case 0x6969:      // NFS
    case 0xff534d42:  // CIFS
    case 0xfe534d42:  // SMB2
    case 0x65735546:  // FUSE
    case 0x0bd00bd0:  // Lustre
    case 0x00c36400:  // CephFS
    case 0x01021997:  // 9p
      return Storage::kNetwork;
    case 0x01021994:  // tmpfs
    case 0x858458f6:  // ramfs
      return Storage::kMemory;
    default: break;
  }
  const auto facts = file.Facts();
  return facts && Rotates(facts->device) ? Storage::kRotating : Storage::kSolid;
}

}  // namespace ofindex
