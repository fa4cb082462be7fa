// Runs the benchmarks or, in a process started by one of them, its task. See bench/pairs/README.md.

#include <benchmark/benchmark.h>

#include <span>
#include <string_view>

#include "bench/pairs/child_tasks.h"
#include "bench/pairs/claims.h"
#include "bench/pairs/input/data.h"
#include "bench/pairs/pair.h"

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<size_t>(argc));
  if (words.size() > 1 && std::string_view(words[1]) == "--child") return ofindex::RunChildTask(words.subspan(2));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  ofindex::PrintClaims();
  ofindex::RemoveMemoryFolder();
  return ofindex::WasStopped() ? 1 : 0;
}
