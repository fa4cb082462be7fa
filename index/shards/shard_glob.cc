#include "index/shards/shard_glob.h"

#include <fnmatch.h>

#include <filesystem>
#include <system_error>

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr char kWildcards[] = "*?[";

}  // namespace

bool IsGlob(const std::string& argument) { return argument.find_first_of(kWildcards) != std::string::npos; }

bool GlobTakes(const std::string& folder, const std::string& pattern, const std::string& path) {
  const size_t wild = pattern.rfind('/', pattern.find_first_of(kWildcards)) + 1;  // 0 if there is no '/'
  std::error_code error;
  const fs::path base = fs::canonical(fs::path(folder) / pattern.substr(0, wild), error);
  if (error) return false;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return false;
  std::string names = pattern.substr(wild);
  while (names.ends_with('/')) names.pop_back();
  for (fs::path part = whole.lexically_relative(base); !part.empty(); part = part.parent_path()) {
    if (::fnmatch(names.c_str(), part.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0) return true;
  }
  return false;
}

}  // namespace ofindex
