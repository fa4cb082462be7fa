#include "index/output/set_names.h"

#include "index/output/shard_names.h"

namespace ofindex {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kOf = "-of-";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

// Removes the suffix `end` from `text`, if present.
bool TakeEnd(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

// Returns SET of SET-SSSSS-of-NNNNN.tfrecord.
std::optional<std::string_view> SetOfNumbered(std::string_view name) {
  TakeEnd(name, ".gz");
  if (!TakeEnd(name, ".tfrecord")) return std::nullopt;
  const size_t of = name.rfind(kOf);
  if (of == std::string_view::npos || !IsNumber(name.substr(of + kOf.size()))) return std::nullopt;
  name = name.substr(0, of);
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || !IsNumber(name.substr(dash + 1))) return std::nullopt;
  return name.substr(0, dash);
}

}  // namespace

bool IsPartName(std::string_view name) { return AfterPartNumber(name) == "" && IsNumber(name.substr(5)); }

bool IsNumberedTfRecord(std::string_view name, std::optional<std::string_view> set) {
  const std::optional<std::string_view> found = SetOfNumbered(name);
  return found && (!set || *found == *set);
}

std::optional<Framing> FramingOfName(std::string_view name) {
  if (name.ends_with(".ofrecord") || IsPartName(name)) return Framing::kOfRecord;
  TakeEnd(name, ".gz");
  return name.ends_with(".tfrecord") ? std::optional(Framing::kTfRecord) : std::nullopt;
}

}  // namespace ofindex
