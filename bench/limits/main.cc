// Runs a command of bench/limits/commands.h: ofindex_limits COMMAND WORD...

#include <cstdio>
#include <string_view>

#include "bench/limits/commands.h"

namespace limits {

void Print(uint64_t amount, std::chrono::steady_clock::duration time, const Answer& answer) {
  std::printf("[%llu, %.9f, [", static_cast<unsigned long long>(amount), std::chrono::duration<double>(time).count());
  const char* between = "";
  for (const uint64_t number : answer) {
    std::printf("%s%llu", between, static_cast<unsigned long long>(number));
    between = ", ";
  }
  std::puts("]]");
}

namespace {

struct Command {
  std::string_view name;
  int (*run)(Words words);
};

constexpr Command kCommands[] = {
    {"make", Make},   {"walk", Walk}, {"hop", Hop}, {"copy", Copy}, {"columns", ExtractColumns},
    {"epoch", Epoch}, {"scan", Scan}};

int Run(Words words) {
  for (const Command& command : kCommands) {
    if (!words.empty() && command.name == words[0]) return command.run(words.subspan(1));
  }
  return 2;
}

}  // namespace
}  // namespace limits

int main(int argc, char** argv) {
  const int code = limits::Run({argv + 1, static_cast<size_t>(argc - 1)});
  if (code == 2)
    std::fprintf(stderr, "usage: ofindex_limits make|walk|hop|columns|copy|epoch|scan WORD..., see commands.h\n");
  return code;
}
