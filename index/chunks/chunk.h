#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/chunks/pool.h"
#include "index/chunks/sections/chunk_format.h"
#include "index/columns/column.h"
#include "index/columns/record_list.h"
#include "proto/features.h"

namespace ofindex {

class DistinctSketch;

/// The values of one column in one block, collected record by record, in ascending order. Meant to be used again and
/// again. Not thread-safe.
class ChunkBuilder {
 public:
  /// Each record at most once; those left out are NULL. `record` counts from the block's first.
  void AddInteger(uint32_t record, int64_t value, FeatureKind kind) {  ///< kInt32 or kInt64
    if (AddNumber(record, kind)) integers_.push_back(value);
  }
  void AddFloat(uint32_t record, float value) {
    if (AddNumber(record, FeatureKind::kFloat)) floats_.push_back(value);
  }
  void AddDouble(uint32_t record, double value) {
    if (AddNumber(record, FeatureKind::kDouble)) doubles_.push_back(value);
  }
  void AddBytes(uint32_t record, ByteView value);

  /// A list of any length, its values of one kind; numbers as Skimmer::numbers() has them.
  void AddNumbers(uint32_t record, FeatureKind kind, std::span<const uint64_t> values);
  void AddTexts(uint32_t record, std::span<const ByteView> values);

  /// Adds an empty list for each of `records`, ascending, which come between those that are here already, or after
  /// them.
  void AddEmptyLists(std::span<const uint32_t> records);

  /// Forgets what was added, and keeps the memory.
  void Clear();

  /// True if no record has a value.
  [[nodiscard]] bool empty() const { return records_.empty(); }

  /// True once the values were more than a chunk may hold, 512 MiB. Those that follow are not collected.
  [[nodiscard]] bool too_large() const { return too_large_; }

  [[nodiscard]] uint64_t memory() const;  ///< bytes held

  /// Encodes what was added as a chunk of `records` records, in the encoding that is smallest of those that fit, and
  /// forgets it. feature, role and block of the row are for the caller to fill in. The same values give the same bytes.
  /// The values are added to `sketch` if there is one. What was too large gives a row without data.
  [[nodiscard]] ChunkRow Encode(uint32_t records, DistinctSketch* sketch = nullptr);

 private:
  class Encoder;

  // False if the values do not fit any more; nothing fits then, so that a chunk never has a part of them.
  [[nodiscard]] bool Admit(uint64_t values) {
    values_ += values;
    too_large_ = too_large_ || values_ > kMostValues || pool_.bytes() > kMostChunkBytes;
    return !too_large_;
  }

  // Adds the entry of a number, whose value is for the caller to add; false if it does not fit.
  [[nodiscard]] bool AddNumber(uint32_t record, FeatureKind kind) {
    if (kind != plain_) return AddFirstNumber(record, kind);
    records_.Add(record);
    ++values_;
    return true;
  }

  [[nodiscard]] bool AddFirstNumber(uint32_t record, FeatureKind kind);
  void AddEntry(uint32_t record, FeatureKind kind);
  void MixKind(FeatureKind kind);
  void AddList(uint32_t record, FeatureKind kind, size_t length);
  void BeginLists();
  [[nodiscard]] std::vector<FeatureKind> Kinds() const;

  static constexpr uint64_t kMostValues = kMostChunkBytes / sizeof(int64_t);

  // Entries are the records that have a value or list; their values stand in the order of entries, by kind.
  RecordList records_;
  FeatureKind kind_ = FeatureKind::kNone;  // of the first entry
  // The kind of all entries if they are single numbers, kNone if not: a block of them always fits.
  FeatureKind plain_ = FeatureKind::kNone;
  std::vector<FeatureKind> kinds_;  // of all entries, once two differed
  std::vector<uint32_t> lengths_;   // of entries, once there was a list
  std::vector<int64_t> integers_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<uint32_t> texts_;  // numbers in the pool
  TextPool pool_;
  uint64_t values_ = 0;
  bool lists_ = false;
  bool too_large_ = false;
};

/// A decoded chunk. Immutable; may be read by any number of threads.
///
/// Values are kept in the form that predicates run fastest on: integers relative to a base, in the narrowest of 8, 16,
/// 32 and 64 bits; floats and doubles as they are; bytes as numbers of a dictionary, or one after the other.
class Chunk {
 public:
  /// Decodes `data`, as the index has it, of a block of `records` records. The bytes may be anything: what is no chunk
  /// is an error, and no more memory is taken than `records` and `data` justify. Errors: kIndex.
  [[nodiscard]] static Result<Chunk> Decode(ByteView data, uint32_t records);

  [[nodiscard]] uint32_t records() const { return records_; }

  /// What the values of the records are. kMixed: look at kind_of.
  enum class Form : uint8_t { kEmpty, kIntegers, kFloats, kDoubles, kBytes, kMixed, kLists };
  [[nodiscard]] Form form() const { return form_; }

  /// A bit per record, set where there is a value, 64 records a word. NaN is a value here, and NULL in SQL. The bits
  /// behind the last record are 0.
  [[nodiscard]] std::span<const uint64_t> present() const { return present_; }

  /// The value of `record`, as SQL has it: NaN is NULL, floats are widened exactly. Views live as long as the chunk.
  /// Not for kLists.
  struct Value {
    ColumnValue::Type type = ColumnValue::Type::kNull;
    int64_t integer = 0;
    double real = 0;
    ByteView bytes = {};
  };
  [[nodiscard]] Value At(uint32_t record) const;

  /// The kind of the value of `record`; kNone where it has none. For kMixed alone.
  [[nodiscard]] FeatureKind kind_of(uint32_t record) const { return kinds_[record]; }

  /// kIntegers: value of a record is base + offsets[record] modulo 2^64; unspecified where it is not present.
  struct Integers {
    int64_t base = 0;
    std::variant<std::vector<uint8_t>, std::vector<uint16_t>, std::vector<uint32_t>, std::vector<uint64_t>> offsets;
  };
  [[nodiscard]] const Integers& integers() const { return integers_; }

  /// kFloats and kDoubles: one value a record, unspecified where it is not present.
  [[nodiscard]] std::span<const float> floats() const { return floats_; }
  [[nodiscard]] std::span<const double> doubles() const { return doubles_; }

  /// kBytes: distinct values in ascending order of bytes, and the number of each record's value among them (unspecified
  /// where it is not present). Every bytes chunk decodes to this form, whatever its encoding was.
  struct Texts {
    std::vector<uint8_t> bytes;    ///< all distinct values, one after the other
    std::vector<uint32_t> ends;    ///< of each in `bytes`
    std::vector<uint32_t> number;  ///< by record
    [[nodiscard]] ByteView operator[](uint32_t n) const {
      const uint32_t begin = n == 0 ? 0 : ends[n - 1];
      return ByteView(bytes).subspan(begin, ends[n] - begin);
    }
  };
  [[nodiscard]] const Texts& texts() const { return texts_; }

  /// kLists: record r has the values [ends[r-1], ends[r]) of one kind. Numbers as int64, or as the bits of a float or
  /// double; bytes through `texts`, whose `number` is then by value, not by record. Where records differ in kind,
  /// `kinds` has one entry a record, else one alone.
  struct Lists {
    std::vector<uint32_t> ends;
    std::vector<FeatureKind> kinds;
    std::vector<uint64_t> numbers;  ///< one a value; unspecified where the value is bytes
  };
  [[nodiscard]] const Lists& lists() const { return lists_; }

  /// Bytes of memory that the decoded chunk takes.
  [[nodiscard]] uint64_t memory() const;

 private:
  class Decoder;

  uint32_t records_ = 0;
  Form form_ = Form::kEmpty;
  std::vector<uint64_t> present_;
  std::vector<FeatureKind> kinds_;  // of kMixed, by record
  Integers integers_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  Texts texts_;
  Lists lists_;
};

}  // namespace ofindex
