#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace limits {

/// What the records of a data folder have in common.
struct Recipe {
  uint64_t records;
  uint64_t min_image, max_image;  ///< bytes
  bool sorted;                    ///< labels ascend
  bool soft;                      ///< deflate halves the images
};

/// Composes Examples with one value of each feature, always in the same order: label, height, width, id (int64), score
/// (float), image (bytes). Reuses its buffers.
class Composer {
 public:
  explicit Composer(const Recipe& recipe) : recipe_(recipe) {}

  /// Returns the payload of a record, valid until the next call.
  std::string_view Compose(uint64_t record);

 private:
  void AddInt64(std::string_view name, uint64_t value);
  void AddFloat(std::string_view name, float value);
  void Add(std::string_view name, uint32_t kind, std::string_view values);

  const Recipe recipe_;
  std::string value_, list_, feature_, key_, entry_, features_, payload_;
};

}  // namespace limits
