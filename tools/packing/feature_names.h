#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ofindex {

/// Numbers names from 0 in the order in which they are added. Rows of one source nearly always have the same names in
/// the same order, so the name that followed the previous one last time is tried first.
class FeatureNames {
 public:
  /// Returns the number of `name`, if it has one.
  [[nodiscard]] std::optional<size_t> Find(std::string_view name) {
    if (last_ < next_.size() && next_[last_] < names_.size() && names_[next_[last_]] == name)
      return Visit(next_[last_]);
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return std::nullopt;
    return Visit(found->second);
  }

  [[nodiscard]] bool Has(std::string_view name) const { return numbers_.contains(name); }

  /// Returns the number of `name`, and assigns the next one if it has none.
  size_t Add(std::string_view name) {
    if (const std::optional<size_t> number = Find(name)) return *number;
    names_.emplace_back(name);
    next_.push_back(names_.size());
    numbers_.emplace(names_.back(), names_.size() - 1);
    return Visit(names_.size() - 1);
  }

  [[nodiscard]] const std::string& operator[](size_t number) const { return names_[number]; }
  [[nodiscard]] size_t size() const { return names_.size(); }

 private:
  size_t Visit(size_t number) {
    if (last_ < next_.size()) next_[last_] = number;
    last_ = number;
    return number;
  }

  std::deque<std::string> names_;  // viewed by the keys
  std::unordered_map<std::string_view, size_t> numbers_;
  std::vector<size_t> next_;  // by number: the name that followed it last time
  size_t last_ = 0;
};

}  // namespace ofindex
