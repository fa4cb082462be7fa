// Writes the record files that bench/python reads: records KIND FOLDER PLACES RECORDS SHARDS
//
// KIND is "small" (Examples of about 350 bytes: label, height, width, score, image), "large" (Examples of about 110 KB,
// image alone) or "tiny" (8 to 24 bytes of noise). Each shard is FOLDER/part-N.tfrecord; PLACES/part-N has two u64 for
// each record of the shard: offset and size of the payload. If PLACES is "-", those files are not written. The same
// arguments give the same bytes on every machine.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace {

// SplitMix64, Steele, Lea and Flood 2014: value `i` of one sequence.
uint64_t Noise(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// CRC-32C, eight bytes at a time: table k has the checksum of a byte followed by k zeros.
class Crc32c {
 public:
  Crc32c() {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
      tables_[0][byte] = crc;
    }
    for (size_t k = 1; k < 8; ++k) {
      for (size_t byte = 0; byte < 256; ++byte) {
        const uint32_t before = tables_[k - 1][byte];
        tables_[k][byte] = (before >> 8) ^ tables_[0][before & 0xff];
      }
    }
  }

  // Returns the checksum as stored in TFRecord: rotated, and a constant added.
  [[nodiscard]] uint32_t Masked(std::string_view bytes) const {
    uint32_t crc = ~0U;
    size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
      uint64_t eight;
      std::memcpy(&eight, bytes.data() + at, 8);
      eight ^= crc;
      crc = 0;
      for (size_t k = 0; k < 8; ++k) crc ^= tables_[7 - k][(eight >> (8 * k)) & 0xff];
    }
    for (; at < bytes.size(); ++at) crc = (crc >> 8) ^ tables_[0][(crc ^ static_cast<uint8_t>(bytes[at])) & 0xff];
    crc = ~crc;
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
  }

 private:
  std::array<std::array<uint32_t, 256>, 8> tables_{};
};

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Appends a length-delimited field whose content is `head` and then `tail`.
void AppendField(std::string& out, uint32_t number, std::string_view head, std::string_view tail = {}) {
  AppendVarint(out, number << 3 | 2);
  AppendVarint(out, head.size() + tail.size());
  out.append(head).append(tail);
}

void AppendNoise(std::string& out, uint64_t seed, size_t bytes) {
  const size_t end = out.size() + bytes;
  for (uint64_t i = seed << 20; out.size() < end; ++i) {
    const uint64_t eight = Noise(i);
    out.append(reinterpret_cast<const char*>(&eight), sizeof eight);
  }
  out.resize(end);
}

// Composes payloads, one at a time, in reused buffers.
class Composer {
 public:
  explicit Composer(std::string_view kind) : kind_(kind) {}

  // Returns a payload, valid until the next call.
  std::string_view Compose(uint64_t record) {
    payload_.clear();
    features_.clear();
    const auto noise = [record](uint64_t k) { return Noise(record * 8 + k); };
    if (kind_ == "tiny") {
      AppendNoise(payload_, record, 8 + noise(0) % 17);
      return payload_;
    }
    const bool small = kind_ == "small";
    if (small) {
      AddInt64("label", noise(0) % 1000);
      AddInt64("height", 64 + noise(1) % 1985);
      AddInt64("width", 64 + noise(2) % 1985);
      AddFloat("score", static_cast<float>(noise(3) >> 40) * 0x1p-24F);
    }
    value_.clear();
    AppendNoise(value_, record, small ? 230 + noise(4) % 81 : 90'000 + noise(4) % 40'001);
    Add("image", 1, value_);
    AppendField(payload_, 1, features_);
    return payload_;
  }

 private:
  void AddInt64(std::string_view name, uint64_t value) {
    value_.clear();
    AppendVarint(value_, value);
    Add(name, 3, value_);
  }

  void AddFloat(std::string_view name, float value) {
    value_.assign(reinterpret_cast<const char*>(&value), sizeof value);
    Add(name, 2, value_);
  }

  void Add(std::string_view name, uint32_t kind, std::string_view values) {
    list_.clear();
    AppendField(list_, 1, values);
    feature_.clear();
    AppendField(feature_, kind, list_);
    key_.clear();
    AppendField(key_, 1, name);
    entry_.clear();
    AppendField(entry_, 2, feature_);
    AppendField(features_, 1, key_, entry_);
  }

  const std::string kind_;
  std::string value_, list_, feature_, key_, entry_, features_, payload_;
};

[[noreturn]] void Fail(const std::string& path) {
  std::perror(path.c_str());
  std::exit(1);
}

class Output {
 public:
  explicit Output(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) Fail(path_);
    std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
  }
  void Write(const void* bytes, size_t size) {
    if (std::fwrite(bytes, 1, size, file_) != size) Fail(path_);
  }
  void Close() {
    if (std::fclose(file_) != 0) Fail(path_);
  }

 private:
  std::string path_;
  std::FILE* file_;
};

void WriteShard(const std::string& path, const std::string* places, uint64_t begin, uint64_t end, Composer& composer) {
  static const Crc32c crc32c;
  Output out(path);
  std::optional<Output> places_out;
  if (places != nullptr) places_out.emplace(*places);
  uint64_t at = 0;
  for (uint64_t record = begin; record < end; ++record) {
    const std::string_view payload = composer.Compose(record);
    const uint64_t size = payload.size();
    const std::string_view size_bytes(reinterpret_cast<const char*>(&size), sizeof size);
    const uint32_t checks[] = {crc32c.Masked(size_bytes), crc32c.Masked(payload)};
    out.Write(&size, sizeof size);
    out.Write(&checks[0], 4);
    out.Write(payload.data(), size);
    out.Write(&checks[1], 4);
    const uint64_t place[] = {at + 12, size};
    if (places_out) places_out->Write(place, sizeof place);
    at += size + 16;
  }
  out.Close();
  if (places_out) places_out->Close();
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) {
    std::fprintf(stderr, "usage: records small|large|tiny FOLDER PLACES RECORDS SHARDS\n");
    return 2;
  }
  Composer composer(words[1]);
  const uint64_t records = std::strtoull(words[4], nullptr, 10);
  const uint64_t shards = std::strtoull(words[5], nullptr, 10);
  for (uint64_t shard = 0; shard < shards; ++shard) {
    const std::string name = "/part-" + std::to_string(shard);
    const std::string places = words[3] + name;
    WriteShard(words[2] + name + ".tfrecord", places[0] == '-' ? nullptr : &places, records * shard / shards,
               records * (shard + 1) / shards, composer);
  }
  return 0;
}
