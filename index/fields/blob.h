#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

// Values as bytes, one after the other: numbers are little-endian; strings, blobs and lists follow their size.

/// Appends fields to bytes. A view; not thread-safe.
class BlobWriter {
 public:
  explicit BlobWriter(std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  void Number(uint64_t value) {
    std::array<uint8_t, 8> le{};
    StoreLe64(le.data(), value);
    bytes_.insert(bytes_.end(), le.begin(), le.end());
  }
  void Byte(uint8_t value) { bytes_.push_back(value); }
  void Blob(ByteView blob) {
    Number(blob.size());
    bytes_.insert(bytes_.end(), blob.begin(), blob.end());
  }
  void Text(const std::string& text) { Blob(AsBytes(text)); }
  void Numbers(const std::vector<uint32_t>& numbers) {
    Number(numbers.size());
    for (const uint32_t number : numbers) Number(number);
  }
  void OptionalText(const std::optional<std::string>& text) {
    Byte(text ? 1 : 0);
    if (text) Text(*text);
  }

 private:
  std::vector<uint8_t>& bytes_;
};

/// Reads what a BlobWriter wrote, from untrusted bytes. After the first fault, everything is 0 or empty, and `sound` is
/// false. A view; not thread-safe.
class BlobReader {
 public:
  explicit BlobReader(ByteView bytes) : bytes_(bytes) {}

  uint64_t Number() {
    const ByteView bytes = Take(8);
    return bytes.empty() ? 0 : LoadLe64(bytes.data());
  }
  uint32_t Number32() {
    const uint64_t value = Number();
    if (value > UINT32_MAX) Refuse();
    return static_cast<uint32_t>(value);
  }
  uint8_t Byte(uint8_t most = UINT8_MAX) {
    const ByteView bytes = Take(1);
    if (bytes.empty() || bytes.front() > most) Refuse();
    return sound_ ? bytes.front() : uint8_t{0};
  }
  ByteView Blob() { return Take(Number()); }
  std::vector<uint8_t> Bytes() {
    const ByteView blob = Blob();
    return {blob.begin(), blob.end()};
  }
  std::string Text() { return std::string(AsText(Blob())); }
  std::vector<uint32_t> Numbers() {
    std::vector<uint32_t> numbers;
    for (uint64_t left = Count(); left != 0 && sound_; --left) numbers.push_back(Number32());
    return numbers;
  }
  std::optional<std::string> OptionalText() { return Byte(1) == 1 ? std::optional(Text()) : std::nullopt; }

  /// Reads the size of a list, whose elements take at least a byte each.
  uint64_t Count() {
    const uint64_t count = Number();
    if (count > bytes_.size()) Refuse();
    return sound_ ? count : 0;
  }

  void Refuse() { sound_ = false; }
  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] bool AtSoundEnd() const { return sound_ && bytes_.empty(); }

 private:
  ByteView Take(uint64_t n) {
    if (n > bytes_.size()) Refuse();
    if (!sound_) return {};
    const ByteView taken = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return taken;
  }

  ByteView bytes_;
  bool sound_ = true;
};

}  // namespace ofindex
