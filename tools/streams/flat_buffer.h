#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ofindex {

/// Writes one FlatBuffer, as FlatBuffers' "Internals" document specifies the format. The bytes are made from the end to
/// the front, so a part is added after the parts that it refers to. Not thread-safe.
class FlatBuffer {
 public:
  /// The place of a part: its distance from the end of the buffer.
  enum class Place : uint32_t {};

  /// One field of a table: a number of `size` bytes or, if `size` is 0, a reference to `place`.
  struct Field {
    template <typename T>
    requires(std::is_arithmetic_v<T>) Field(uint16_t id, T number) : number_id(id), size(sizeof(T)) {
      std::memcpy(&bits, &number, sizeof number);
    }
    Field(uint16_t id, Place to) : number_id(id), place(to) {}

    uint16_t number_id;  ///< the position of the field in the table's schema, from 0
    uint32_t size = 0;
    uint64_t bits = 0;
    Place place = {};
  };

  Place AddText(std::string_view text);
  Place AddTable(std::vector<Field> fields);
  Place AddReferences(std::span<const Place> places);

  /// Adds a vector of structs, which are plain memory aligned to 8 bytes.
  template <typename Struct>
  Place AddStructs(std::span<const Struct> structs) {
    static_assert(std::is_trivially_copyable_v<Struct> && alignof(Struct) == 8);
    AlignFor(structs.size_bytes(), alignof(Struct));
    PushBytes(structs.data(), structs.size_bytes());
    return PushNumber(static_cast<uint32_t>(structs.size()));
  }

  /// Returns the bytes of the buffer, whose root is the table at `root`. The size is a multiple of 8.
  [[nodiscard]] std::vector<uint8_t> Finish(Place root);

 private:
  void AlignFor(uint64_t bytes, uint64_t alignment);
  void PushBytes(const void* bytes, size_t size);
  template <typename T>
  Place PushNumber(T number) {
    AlignFor(sizeof number, sizeof number);
    PushBytes(&number, sizeof number);
    return Here();
  }
  Place PushReference(Place to);
  [[nodiscard]] Place Here() const { return Place{static_cast<uint32_t>(reversed_.size())}; }

  std::vector<uint8_t> reversed_;
};

}  // namespace ofindex
