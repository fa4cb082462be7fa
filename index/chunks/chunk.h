#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/chunks/sections/chunk_format.h"
#include "index/chunks/string_pool.h"
#include "index/columns/column.h"
#include "index/columns/record_list.h"
#include "proto/features.h"

namespace ofindex {

class DistinctSketch;

/// The values of one column in one block, added record by record, in ascending order. Reusable. Not thread-safe.
class ChunkBuilder {
 public:
  /// Add a value; each record at most once. Records without a value are NULL. `record` is the record's number in the
  /// block.
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

  /// Adds one number, encoded as in Extractor::numbers(), to each of the consecutive records from `first` on.
  void AddSingles(uint32_t first, FeatureKind kind, std::span<const uint64_t> values);

  /// Adds a list of any length whose values are of one kind; numbers are encoded as in Extractor::numbers().
  void AddNumbers(uint32_t record, FeatureKind kind, std::span<const uint64_t> values);
  void AddStrings(uint32_t record, std::span<const ByteView> values);

  /// Adds an empty list for each of `records`, ascending, which may lie between the records added so far or after them.
  void AddEmptyLists(std::span<const uint32_t> records);

  /// Removes all values and keeps the memory.
  void Clear();

  /// Returns true if no record has a value.
  [[nodiscard]] bool empty() const { return records_.empty(); }

  /// Returns true if the values exceed what a chunk may hold, 512 MiB. Later values are ignored.
  [[nodiscard]] bool too_large() const { return too_large_; }

  [[nodiscard]] uint64_t memory() const;  ///< bytes in use

  /// Encodes the values as a chunk of `records` records, in the smallest suitable encoding, and clears the builder. The
  /// caller fills in feature, role and block of the row. The same values give the same bytes. Adds the values to
  /// `sketch`, if given. If the values were too large, the row has no data.
  [[nodiscard]] ChunkRow Encode(uint32_t records, DistinctSketch* sketch = nullptr);

 private:
  class Encoder;

  // Returns false if the values do not fit. From then on nothing fits, so that a chunk never holds only some of its
  // values.
  [[nodiscard]] bool Admit(uint64_t values) {
    values_ += values;
    too_large_ = too_large_ || values_ > kMaxValues || pool_.bytes() > kMaxChunkBytes;
    return !too_large_;
  }

  // Adds the entry of a number; the caller adds its value. Returns false if it does not fit.
  [[nodiscard]] bool AddNumber(uint32_t record, FeatureKind kind) {
    if (kind != plain_) return AddFirstNumber(record, kind);
    records_.Add(record);
    ++values_;
    return true;
  }

  [[nodiscard]] bool AddFirstNumber(uint32_t record, FeatureKind kind);
  void AddEntry(uint32_t record, FeatureKind kind);
  void StoreNumbers(FeatureKind kind, std::span<const uint64_t> values);
  void MixKind(FeatureKind kind);
  void AddList(uint32_t record, FeatureKind kind, size_t length);
  void BeginLists();
  [[nodiscard]] std::vector<FeatureKind> Kinds() const;

  static constexpr uint64_t kMaxValues = kMaxChunkBytes / sizeof(int64_t);

  // Entries are the records that have a value or list. Values are stored per kind, in the order of entries.
  RecordList records_;
  FeatureKind kind_ = FeatureKind::kNone;  // of the first entry
  // The kind of all entries if all are single numbers, else kNone: a block of single numbers always fits.
  FeatureKind plain_ = FeatureKind::kNone;
  std::vector<FeatureKind> kinds_;  // of all entries, once two differ
  std::vector<uint32_t> lengths_;   // of entries, once there is a list
  std::vector<int64_t> integers_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<uint32_t> strings_;  // indexes in the pool
  StringPool pool_;
  uint64_t values_ = 0;
  bool lists_ = false;
  bool too_large_ = false;
};

/// A decoded chunk. Immutable; any number of threads may read it.
///
/// Values are stored in the form that is fastest for predicates: integers relative to a base, in the narrowest of 8,
/// 16, 32 and 64 bits; floats and doubles unchanged; byte strings as indexes into a dictionary.
class Chunk {
 public:
  /// Decodes `data`, as stored in the index, for a block of `records` records. The bytes are untrusted: anything that
  /// is not a chunk is an error, and memory is bounded by `records` and the size of `data`. Errors: kIndex.
  [[nodiscard]] static Result<Chunk> Decode(ByteView data, uint32_t records);

  /// Returns a chunk of integers or reals, one for each record whose bit in `present` is set; the values of others do
  /// not matter.
  [[nodiscard]] static Chunk OfIntegers(std::span<const int64_t> values, std::vector<uint64_t> present);
  [[nodiscard]] static Chunk OfReals(std::vector<double> values, std::vector<uint64_t> present);
  [[nodiscard]] static Chunk OfReals(std::vector<float> values, std::vector<uint64_t> present);

  [[nodiscard]] uint32_t records() const { return records_; }

  /// The type of the records' values. kMixed: see kind_of.
  enum class Form : uint8_t { kEmpty, kIntegers, kFloats, kDoubles, kBytes, kMixed, kLists };
  [[nodiscard]] Form form() const { return form_; }

  /// Returns a bit per record, set if it has a value, 64 records per word. NaN counts as a value here, but is NULL in
  /// SQL. The bits past the last record are 0.
  [[nodiscard]] std::span<const uint64_t> present() const { return present_; }

  /// The value of `record` as in SQL: NaN is NULL, floats are widened exactly. Views live as long as the chunk. Not for
  /// kLists.
  struct Value {
    ColumnValue::Type type = ColumnValue::Type::kNull;
    int64_t integer = 0;
    double real = 0;
    ByteView bytes = {};
  };
  [[nodiscard]] Value At(uint32_t record) const;

  /// Returns the kind of the value of `record`; kNone if it has none. For kMixed only.
  [[nodiscard]] FeatureKind kind_of(uint32_t record) const { return kinds_[record]; }

  /// kIntegers: the value of a record is base + offsets[record] modulo 2^64; unspecified if it is not present.
  struct Integers {
    int64_t base = 0;
    std::variant<std::vector<uint8_t>, std::vector<uint16_t>, std::vector<uint32_t>, std::vector<uint64_t>> offsets;
  };
  [[nodiscard]] const Integers& integers() const { return integers_; }

  /// kFloats and kDoubles: one value per record, unspecified if it is not present.
  [[nodiscard]] std::span<const float> floats() const { return floats_; }
  [[nodiscard]] std::span<const double> doubles() const { return doubles_; }

  /// kBytes: the distinct values in ascending byte order, and each record's index among them (unspecified if it is not
  /// present). Every chunk of byte strings decodes to this form, whatever its encoding.
  struct Strings {
    std::vector<uint8_t> bytes;    ///< all distinct values, concatenated
    std::vector<uint32_t> ends;    ///< end of each value in `bytes`
    std::vector<uint32_t> number;  ///< by record
    [[nodiscard]] ByteView operator[](uint32_t n) const {
      const uint32_t begin = n == 0 ? 0 : ends[n - 1];
      return ByteView(bytes).subspan(begin, ends[n] - begin);
    }
  };
  [[nodiscard]] const Strings& strings() const { return strings_; }

  /// kLists: record r has the values [ends[r-1], ends[r]), all of one kind. Numbers are int64 values or the bits of a
  /// float or double; byte strings are in `strings`, whose `number` is indexed by value, not by record. `kinds` has one
  /// entry per record if records differ in kind, otherwise a single one.
  struct Lists {
    std::vector<uint32_t> ends;
    std::vector<FeatureKind> kinds;
    std::vector<uint64_t> numbers;  ///< one per value; unspecified if the value is a byte string
  };
  [[nodiscard]] const Lists& lists() const { return lists_; }

  /// Returns the memory of the decoded chunk, in bytes.
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
  Strings strings_;
  Lists lists_;
};

}  // namespace ofindex
