#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "fuzz/text/text_checks.h"
#include "query/ordinals.h"
#include "tools/ordinals/ordinal_list.h"

namespace ofindex {
namespace {

constexpr size_t kMostListed = 10'000;

// Reads a list; `sound` becomes false at an error.
std::vector<uint64_t> ListedIn(const MemoryFile& file, uint64_t size, bool& sound) {
  const std::atomic<bool> cancel{false};
  std::vector<uint64_t> ordinals;
  const auto list = OrdinalList::Open(file.path(), size, cancel);
  Expect(list.has_value(), "a list cannot be opened");
  for (;;) {
    uint64_t ordinal = 0;
    const Result<bool> next = (*list)->Next(ordinal);
    sound = IsThere(next);
    if (!sound || !*next || ordinals.size() == kMostListed) return ordinals;
    Expect(ordinal < size, "a list has record ", ordinal, " of ", size);
    ordinals.push_back(ordinal);
  }
}

}  // namespace

void CheckOrdinals(ByteView bytes) {
  FuzzInput input(bytes);
  const uint64_t size = input.Number(2);
  const std::string text = input.Text();
  const Result<OrdinalRange> range = ParseOrdinals(text, size);
  if (IsThere(range)) {
    Expect(range->begin <= range->end && range->end <= size, "a range [", range->begin, ", ", range->end, ") of ",
           size);
  }
  const MemoryFile file(AsBytes(text));
  bool sound = false;
  bool again_sound = false;
  const std::vector<uint64_t> ordinals = ListedIn(file, size, sound);
  Expect(ordinals == ListedIn(file, size, again_sound) && sound == again_sound, "a list differs when it is read again");
  BecomeStandardInput(file);
  const std::atomic<bool> cancel{false};
  const Result<std::vector<uint64_t>> whole = ReadOrdinals("-", size, cancel, "make it shorter");
  if (ordinals.size() == kMostListed) return;
  Expect(IsThere(whole) == sound && (!sound || *whole == ordinals), "a list differs when it is read whole");
}

}  // namespace ofindex
