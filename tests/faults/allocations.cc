#include <link.h>
#include <stdlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>

#include "faults/plan.h"

// Allocations. Those of C libraries are told apart by the code that calls malloc(): SQLite's are one kind, those of the
// command and of all other libraries another. The C library's own are not counted: its calls fail as a whole.

extern "C" {
void* __libc_malloc(size_t n);
void* __libc_calloc(size_t n, size_t bytes);
void* __libc_realloc(void* old, size_t n);
void* __libc_memalign(size_t alignment, size_t n);
}

namespace ofindex::faults {
namespace {

// The addresses at which an executable or library is loaded.
struct Code {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool is_sqlite = false;
};
std::array<Code, 64> loaded;
size_t loaded_count = 0;

bool IsOfTheSystem(std::string_view path) {
  for (const std::string_view name : {"/libc.so", "/ld-linux", "/libstdc++.so", "/libgcc_s.so", "ofindex_faults"}) {
    if (path.find(name) != path.npos) return true;
  }
  return false;
}

[[gnu::constructor]] void FindCode() {
  const auto add = [](dl_phdr_info* info, size_t, void*) {
    const std::string_view path(info->dlpi_name);
    Code code{.begin = UINTPTR_MAX, .end = 0, .is_sqlite = path.find("/libsqlite3.so") != path.npos};
    for (size_t i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      code.begin = std::min<uintptr_t>(code.begin, info->dlpi_addr + part.p_vaddr);
      code.end = std::max<uintptr_t>(code.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    if (!IsOfTheSystem(path) && loaded_count < loaded.size()) loaded[loaded_count++] = code;
    return 0;
  };
  ::dl_iterate_phdr(add, nullptr);
}

// Returns true if the allocation that is asked for by the code at `caller` has to fail.
bool Fails(const void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  for (size_t i = 0; i < loaded_count; ++i) {
    if (address < loaded[i].begin || address >= loaded[i].end) continue;
    const bool fails = Strike(loaded[i].is_sqlite ? Kind::kSqlite : Kind::kLibrary).has_value();
    if (fails) errno = ENOMEM;
    return fails;
  }
  return false;
}

void* NewBytes(size_t n, size_t alignment) {
  void* const found = Strike(Kind::kNew) ? nullptr : alignment == 0 ? __libc_malloc(n) : __libc_memalign(alignment, n);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}

}  // namespace

extern "C" {

void* malloc(size_t n) noexcept { return Fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(n); }
void* calloc(size_t n, size_t bytes) noexcept {
  return Fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(n, bytes);
}
void* realloc(void* old, size_t n) noexcept {
  return Fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, n);
}
void* aligned_alloc(size_t alignment, size_t n) noexcept {
  return Fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, n);
}

}  // extern "C"

}  // namespace ofindex::faults

void* operator new(size_t n) { return ofindex::faults::NewBytes(n == 0 ? 1 : n, 0); }
void* operator new(size_t n, std::align_val_t alignment) {
  return ofindex::faults::NewBytes(n, static_cast<size_t>(alignment));
}
void operator delete(void* bytes) noexcept { ::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { ::free(bytes); }
void operator delete(void* bytes, std::align_val_t) noexcept { ::free(bytes); }
void operator delete(void* bytes, size_t, std::align_val_t) noexcept { ::free(bytes); }
