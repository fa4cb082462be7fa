#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

/// Returns true if both have the same bytes. Inline, because a call of memcmp costs more than comparing most names.
[[nodiscard]] inline bool EqualBytes(ByteView one, ByteView other) {
  const size_t n = one.size();
  if (n != other.size()) return false;
  const uint8_t* a = one.data();
  const uint8_t* b = other.data();
  if (n > 64) return std::memcmp(a, b, n) == 0;
  if (n >= 8) {
    for (size_t i = 0; i + 8 < n; i += 8) {
      if (LoadLe64(a + i) != LoadLe64(b + i)) return false;
    }
    return LoadLe64(a + n - 8) == LoadLe64(b + n - 8);
  }
  if (n >= 4) return LoadLe32(a) == LoadLe32(b) && LoadLe32(a + n - 4) == LoadLe32(b + n - 4);
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// The names of features and their numbers: at most kMaxFeatures. These are the first in byte order of all names ever
/// learnt, regardless of the order in which they were learnt. Not thread-safe.
///
/// A name is looked up first at its position in the previous record, then in a direct-mapped cache by hash, then in a
/// tree. The tree is authoritative, so names crafted to collide cost no more than its depth.
class NameTable {
 public:
  static constexpr uint32_t kUnknown = 0xffff'ffff;  ///< a name to be learnt
  static constexpr uint32_t kDropped = 0xffff'fffe;  ///< a name that is not kept, and never will be

  /// `whole` are names that are always kept.
  explicit NameTable(std::span<const std::string> whole);

  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  /// Returns the number of `name`, or kUnknown, or kDropped. `name` has at most kMaxNameBytes bytes, and is that of
  /// entry number `position` of the record.
  [[nodiscard]] uint32_t Find(ByteView name, size_t position) {
    if (position < expected_.size()) {
      const Expected& expected = expected_[position];
      if (EqualBytes(expected.name, name)) return expected.number;
    }
    return Search(name, position);
  }

  /// Assigns a number to the unknown name `name` and returns it, or returns kDropped. Evicts other names if necessary.
  uint32_t Learn(ByteView name);

  /// Returns the numbers that lost their names when the last name was learnt.
  [[nodiscard]] std::span<const uint32_t> just_evicted() const { return just_evicted_; }

  /// Records that a name was longer than kMaxNameBytes.
  void DropLong() { dropped_ = true; }

  /// Returns the name of a feature list as shown to users. Valid until the next call.
  [[nodiscard]] ByteView ShownList(ByteView name) {
    shown_.assign(AsText(name));
    shown_ += "[]";
    return AsBytes(shown_);
  }

  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  [[nodiscard]] bool kept(uint32_t number) const { return number < kept_.size() && kept_[number] != 0; }
  [[nodiscard]] bool whole(uint32_t number) const { return whole_[number] != 0; }
  [[nodiscard]] bool dropped() const { return dropped_; }
  [[nodiscard]] const std::optional<std::string>& bound() const { return bound_; }

  /// Returns the numbers that lost their names since BeginRecord(), each once.
  [[nodiscard]] std::span<const uint32_t> evicted() const { return evicted_; }
  void BeginRecord() {
    if (!evicted_.empty()) ClearEvicted();
  }

  void Forget();

 private:
  struct ByName {
    using is_transparent = void;
    const std::vector<std::string>* names;
    bool operator()(uint32_t a, uint32_t b) const { return (*names)[a] < (*names)[b]; }
    bool operator()(uint32_t a, std::string_view b) const { return (*names)[a] < b; }
    bool operator()(std::string_view a, uint32_t b) const { return a < (*names)[b]; }
  };

  // The name at one position of the previous record. Views names_, so it is invalid after a change to names_.
  struct Expected {
    ByteView name;
    uint32_t number;
  };

  [[nodiscard]] bool Is(uint32_t number, ByteView name) const;
  [[nodiscard]] uint32_t Search(ByteView name, size_t position);
  [[nodiscard]] uint32_t SearchTree(std::string_view name) const;
  [[nodiscard]] uint32_t NewNumber(std::string_view name);
  void EvictLast();
  void ClearEvicted();

  std::vector<std::string> names_;
  std::string shown_;
  std::vector<uint8_t> kept_;
  std::vector<uint8_t> whole_;
  std::vector<uint32_t> free_;                           // numbers not in use
  std::map<std::string, uint32_t, std::less<>> pinned_;  // names that are always kept; kUnknown until found
  std::set<uint32_t, ByName> others_;                    // numbers of all other names
  uint64_t others_bytes_ = 0;
  std::optional<std::string> bound_;  // the first name in byte order that was evicted
  bool dropped_ = false;
  std::vector<uint32_t> just_evicted_;
  std::vector<uint32_t> evicted_;
  std::vector<uint8_t> is_evicted_;        // by number
  std::vector<Expected> expected_;         // by position
  std::array<uint32_t, 1024> cache_ = {};  // by hash; verified against the name, so it is never wrong
};

}  // namespace ofindex
