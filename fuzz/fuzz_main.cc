// libFuzzer's program for all targets: OFINDEX_FUZZ_TARGET names one. Without the variable, it prints the table of
// targets, one a line, with tabs between the fields.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/target.h"

namespace {

const ofindex::FuzzTarget* chosen = nullptr;

void PrintTargets() {
  for (const ofindex::FuzzTarget& target : ofindex::FuzzTargets()) {
    std::printf("%s\t%zu\t%s\t%s\n", std::string(target.name).c_str(), target.max_bytes,
                std::string(target.reads).c_str(), std::string(target.parser).c_str());
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* const name = std::getenv("OFINDEX_FUZZ_TARGET");
  for (const ofindex::FuzzTarget& target : ofindex::FuzzTargets()) {
    if (name != nullptr && target.name == name) chosen = &target;
  }
  if (chosen != nullptr) return 0;
  PrintTargets();
  std::exit(name == nullptr ? 0 : 2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen->check({data, size});
  return 0;
}
