#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Encoded images without pixels, written by their specifications and not with the code under test.

namespace ofindex::encoded_images {

inline std::string LittleEndian(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
  return text;
}

inline std::string BigEndian(uint64_t number, int bytes) {
  const std::string text = LittleEndian(number, bytes);
  return {text.rbegin(), text.rend()};
}

inline std::string U16(uint64_t number) { return LittleEndian(number, 2); }
inline std::string U24(uint64_t number) { return LittleEndian(number, 3); }
inline std::string U32(uint64_t number) { return LittleEndian(number, 4); }

inline std::string Segment(uint8_t marker, const std::string& content) {
  return "\xff" + std::string(1, static_cast<char>(marker)) + BigEndian(content.size() + 2, 2) + content;
}

inline std::string Frame(uint8_t marker, uint32_t width, uint32_t height, uint8_t components) {
  std::string content = "\x08" + BigEndian(height, 2) + BigEndian(width, 2) + static_cast<char>(components);
  for (uint8_t i = 0; i < components; ++i) content += std::string("\1\x11\0", 3);
  return Segment(marker, content);
}

inline std::string Jpeg(const std::vector<std::string>& parts) {
  std::string bytes = "\xff\xd8";
  for (const std::string& part : parts) bytes += part;
  return bytes;
}

inline std::string Png(uint32_t width, uint32_t height, int depth, int color_type) {
  const std::string kinds = {static_cast<char>(depth), static_cast<char>(color_type), '\0', '\0', '\0'};
  return "\x89PNG\r\n\x1a\n" + BigEndian(13, 4) + "IHDR" + BigEndian(width, 4) + BigEndian(height, 4) + kinds + "sum!";
}

inline std::string Webp(std::string_view kind, const std::string& content) {
  const auto size = content.size();
  return "RIFF" + U32(size + 12) + "WEBP" + std::string(kind) + U32(size) + content;
}

// `fields` are those after the size of the second header.
inline std::string Bmp(uint32_t header_bytes, const std::string& fields) {
  return "BM" + U32(1000) + U32(0) + U32(14 + header_bytes) + U32(header_bytes) + fields;
}

// Of 7 by 8 pixels of 32 bits.
inline std::string MaskedBmp(uint32_t header_bytes, uint32_t compression, uint32_t alpha) {
  return Bmp(header_bytes, U32(7) + U32(8) + U16(1) + U16(32) + U32(compression) + std::string(20, '\0') +
                               U32(0xff0000) + U32(0xff00) + U32(0xff) + U32(alpha));
}

enum class Order { kLittle, kBig };

struct TiffField {
  uint64_t tag;
  uint64_t type;
  uint64_t value;
  uint64_t count = 1;
};

inline std::string TiffOf(Order order, bool big, const std::vector<TiffField>& entries) {
  const auto number = [&](uint64_t value, int bytes) {
    return order == Order::kLittle ? LittleEndian(value, bytes) : BigEndian(value, bytes);
  };
  const int offset = big ? 8 : 4;
  std::string bytes = order == Order::kLittle ? "II" : "MM";
  bytes += number(big ? 43 : 42, 2);
  if (big) bytes += number(8, 2) + number(0, 2);
  bytes += number(big ? 16 : 8, offset) + number(entries.size(), big ? 8 : 2);
  for (const TiffField& entry : entries) {
    const int size = entry.type == 1 ? 1 : entry.type == 3 ? 2 : entry.type == 16 ? 8 : 4;
    bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, offset);
    bytes += number(entry.value, size) + std::string(static_cast<size_t>(offset - size), '\0');
  }
  return bytes + number(0, offset);
}

inline std::string Tiff(Order order, const std::vector<TiffField>& entries) { return TiffOf(order, false, entries); }
inline std::string BigTiff(Order order, const std::vector<TiffField>& entries) { return TiffOf(order, true, entries); }

}  // namespace ofindex::encoded_images
