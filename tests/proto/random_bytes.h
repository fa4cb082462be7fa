#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tests/proto/message_bytes.h"

namespace ofindex {

/// A random number generator, the same in every run.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  uint64_t Bits() { return random_(); }
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

/// Returns `message` with one mutation.
inline std::string Mutated(std::string message, const std::string& other, Dice& dice) {
  if (message.empty()) return other;
  const size_t at = dice.Below(message.size());
  switch (dice.Below(7)) {
    case 0: message[at] = static_cast<char>(message[at] ^ (1 << dice.Below(8))); break;
    case 1: message[at] = static_cast<char>(dice.Below(256)); break;
    case 2: message.resize(at); break;
    case 3: message.erase(at, 1 + dice.Below(3)); break;
    case 4: message.insert(at, message.substr(dice.Below(message.size()), 1 + dice.Below(16))); break;
    case 5: message.insert(at, 1, static_cast<char>(dice.Below(256))); break;
    default: message = message.substr(0, at) + other.substr(dice.Below(other.size() + 1)); break;
  }
  return message;
}

/// Returns sound fields that are unknown to every schema here.
inline std::string Noise(Dice& dice) {
  if (!dice.OneIn(6)) return "";
  const auto number = static_cast<uint32_t>(90 + dice.Below(1000));
  switch (dice.Below(5)) {
    case 0: return VarintField(number, dice.Bits());
    case 1: return FixedField(number, uint32_t{7});
    case 2: return FixedField(number, dice.Bits());
    case 3: return Group(number, VarintField(1, 1) + Group(2, Field(3, "z")));
    default: return Field(number, "\xff\xff");
  }
}

}  // namespace ofindex
