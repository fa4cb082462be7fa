#include "tools/shell/missing_shards.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxRuns = 10;  // of numbers in one note

// A run of numbers that follow one another.
struct NumberRun {
  uint64_t first;
  uint64_t last;
};

struct SetOfMissing {
  std::string name;  // with `*` for the number
  std::vector<std::string> paths = {};
  std::vector<NumberRun> runs = {};
};

// Divides "train-00003-of-00100" into "train-*-of-00100" and 3.
std::pair<std::string, uint64_t> Divided(const std::string& path) {
  const size_t end = path.rfind("-of-");
  if (end == std::string::npos) return {path, 0};
  size_t begin = end;
  while (begin > 0 && path[begin - 1] >= '0' && path[begin - 1] <= '9') --begin;
  uint64_t number = 0;
  std::from_chars(path.data() + begin, path.data() + end, number);
  return {StrCat(path.substr(0, begin), "*", path.substr(end)), number};
}

std::vector<SetOfMissing> SetsOf(const std::vector<std::string>& missing) {
  std::vector<SetOfMissing> sets;
  for (const std::string& path : missing) {
    auto [name, number] = Divided(path);
    if (sets.empty() || sets.back().name != name) sets.push_back({std::move(name)});
    SetOfMissing& set = sets.back();
    set.paths.push_back(path);
    if (!set.runs.empty() && set.runs.back().last + 1 == number) {
      set.runs.back().last = number;
    } else {
      set.runs.push_back({number, number});
    }
  }
  return sets;
}

std::string NumbersOf(const SetOfMissing& set) {
  std::string text;
  for (size_t i = 0; i < set.runs.size(); ++i) {
    if (i == kMaxRuns) return text + ", ...";
    const auto [first, last] = set.runs[i];
    text += StrCat(i == 0 ? "" : ", ", first);
    if (last > first) text += StrCat(last == first + 1 ? ", " : " to ", last);
  }
  return text;
}

}  // namespace

std::vector<std::string> NotesOnMissing(const std::vector<std::string>& missing,
                                        const std::function<std::string(const std::string&)>& shown) {
  std::vector<std::string> notes;
  for (const SetOfMissing& set : SetsOf(missing)) {
    if (set.paths.size() == 1) {
      notes.push_back(StrCat("missing ", Printable(shown(set.paths[0])), ": the other names of its set imply it"));
    } else {
      notes.push_back(StrCat("missing ", Counted(set.paths.size(), "shard"), " of ", Printable(shown(set.name)), ": ",
                             NumbersOf(set), "; the other names of the set imply them"));
    }
  }
  return notes;
}

}  // namespace ofindex
