#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/record.h"
#include "base/text.h"

namespace ofindex {

/// What a test has written to a file: more payloads than can be read, if it was damaged since.
struct WrittenFile {
  Compression compression = Compression::kNone;
  std::string bytes = {};
  std::vector<std::string> payloads = {};
  std::string rest = {};  ///< appended, it completes the record or member in which the file ends
  bool damaged = false;
  bool is_shard = true;
};

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const { return NaturalLess(a, b); }
};

/// A folder of random shards that changes step by step, on disk and in memory: by the same changes for the same seed.
/// Every record is different from all others, unless its file is copied. One shard stays as it is, so that there are
/// always records.
class RandomFolder {
 public:
  /// The folder `path` exists and is empty. `damages`: also in the middle of files, not only by cutting them.
  RandomFolder(const std::string& path, Framing framing, bool damages, uint64_t seed);

  /// Changes one to three files in some way. Returns a text that says how.
  std::string Change();

  [[nodiscard]] const std::map<std::string, WrittenFile, NaturalOrder>& files() const { return files_; }

  /// Returns the path of a file by its path in the folder.
  [[nodiscard]] std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }

 private:
  using Names = std::vector<std::string>;

  std::string ChangeOne();
  void Add(const std::string& name);
  void AddForeign(const std::string& name);
  void Grow(WrittenFile& file);
  void GrowByPart(WrittenFile& file);
  void GrowByGarbage(WrittenFile& file);
  void Damage(WrittenFile& file);
  void Shrink(WrittenFile& file);
  void Rename(const std::string& from, const std::string& to);
  void Swap(const std::string& a, const std::string& b);
  std::string Restore();

  [[nodiscard]] bool MayGrow(const WrittenFile& file) const { return damages_ || !file.damaged; }
  [[nodiscard]] uint64_t Below(uint64_t n) { return random_() % n; }
  [[nodiscard]] WrittenFile NewFile(const std::string& name);
  [[nodiscard]] std::string NextPayload();
  [[nodiscard]] std::string Framed(WrittenFile& file, uint64_t records);
  [[nodiscard]] std::string Stored(const WrittenFile& file, const std::string& bytes) const;
  [[nodiscard]] Names Mutable() const;
  [[nodiscard]] Names Free(std::optional<Compression> compression) const;
  [[nodiscard]] std::string AnyOf(const Names& names) { return names[Below(names.size())]; }
  void Write(const std::string& name, bool in_place);

  std::string folder_;
  Framing framing_;
  bool damages_;
  std::mt19937_64 random_;
  std::map<std::string, WrittenFile, NaturalOrder> files_;
  std::vector<std::pair<std::string, WrittenFile>> deleted_;
  uint64_t payloads_ = 0;
  uint64_t features_ = 1;  // names of optional features in use
  int64_t mtime_ns_ = int64_t{1'700'000'000} * 1'000'000'000;
};

}  // namespace ofindex
