#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {
namespace {

// The serialized layout of a set; numbers are varints, seven bits per byte, low ones first, unless stated otherwise:
//
//   version  one byte, 1
//   size     members of the set
//   entries, ascending, to the end of the bytes:
//     head     2 x pages skipped since the previous entry, plus 1 for a run
//     a run:   its start in the page; its number of members
//     a page:  its number of members; then these as 16-bit numbers if there are fewer than 4,096, otherwise a bitmap
//              of 1,024 64-bit words; little-endian
//
// A set has exactly one form, which its members determine; see the class. Sets are identified by a hash of these bytes,
// so that a change of the layout changes every fingerprint.
constexpr uint8_t kVersion = 1;

template <typename T>
ByteView RawBytesOf(std::span<const T> values) {
  return ByteView(reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes());
}

template <typename Sink>
void AddVarint(Sink& sink, uint64_t value) {
  uint8_t bytes[10];
  size_t n = 0;
  for (; value >= 0x80; value >>= 7) bytes[n++] = static_cast<uint8_t>(value | 0x80);
  bytes[n++] = static_cast<uint8_t>(value);
  sink.Add(ByteView(bytes, n));
}

struct Collector {
  std::vector<uint8_t> bytes;
  void Add(ByteView more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
};

// Compares the given bytes with the expected ones, so that no second copy is made.
struct Comparer {
  ByteView expected;
  bool same = true;
  void Add(ByteView bytes) {
    same = same && bytes.size() <= expected.size() && std::equal(bytes.begin(), bytes.end(), expected.begin());
    if (same) expected = expected.subspan(bytes.size());
  }
};

// Reads the bytes of a set from start to end. A view.
class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}

  [[nodiscard]] bool AtEnd() const { return at_ == bytes_.size(); }

  [[nodiscard]] Result<ByteView> Bytes(uint64_t n) {
    if (!Fits(at_, n, bytes_.size())) return Damaged("ends too early");
    const ByteView bytes = bytes_.subspan(at_, n);
    at_ += n;
    return bytes;
  }

  // Reads a number that is at most `limit`.
  [[nodiscard]] Result<uint64_t> Varint(uint64_t limit) {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 63; shift += 7) {
      OFINDEX_ASSIGN(const ByteView byte, Bytes(1));
      value |= uint64_t{byte[0] & 0x7fU} << shift;
      if (byte[0] >= 0x80) continue;
      if (value > limit) return Damaged("a number is too large");
      return value;
    }
    return Damaged("a number is too long");
  }

  [[nodiscard]] tl::unexpected<Error> Damaged(std::string_view what) const {
    return Fail(ErrorCode::kIndex, StrCat("set of records@", at_, ": ", what),
                "the bytes are damaged: make the set again");
  }

 private:
  ByteView bytes_;
  uint64_t at_ = 0;
};

// Adds `count` members in the page that begins at `begin`. Those of an array must ascend, as the builder requires.
Result<void> ReadPage(Reader& reader, uint64_t begin, uint64_t count, uint64_t page_words, bool dense,
                      OrdinalSet::Builder& builder) {
  OFINDEX_ASSIGN(const ByteView bytes, reader.Bytes(dense ? page_words * 8 : count * 2));
  if (dense) {
    for (uint64_t w = 0; w < page_words; ++w) builder.AddBits(begin + w * 64, LoadLe64(&bytes[w * 8]));
    return {};
  }
  uint32_t least = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t member = LoadLe16(&bytes[i * 2]);
    if (member < least) return reader.Damaged("members are not ascending");
    builder.Add(begin + member);
    least = member + 1;
  }
  return {};
}

}  // namespace

template <typename Sink>
void OrdinalSet::WriteTo(Sink& sink) const {
  sink.Add(ByteView(&kVersion, 1));
  AddVarint(sink, size());
  uint64_t next_page = 0;
  for (size_t e = 0; e < begins_.size(); ++e) {
    AddVarint(sink, (begins_[e] / kPageOrdinals - next_page) * 2 + (IsRun(e) ? 1 : 0));
    next_page = (EndOf(e) - 1) / kPageOrdinals + 1;
    if (IsRun(e)) AddVarint(sink, begins_[e] % kPageOrdinals);
    AddVarint(sink, Count(e));
    if (IsRun(e)) continue;
    sink.Add(IsDense(e) ? RawBytesOf(std::span<const uint64_t>(DenseOf(e))) : RawBytesOf(SparseOf(e)));
  }
}

std::vector<uint8_t> OrdinalSet::Serialize() const {
  Collector collector;
  WriteTo(collector);
  return std::move(collector.bytes);
}

Digest128 OrdinalSet::Fingerprint() const {
  Xxh3Stream stream;
  WriteTo(stream);
  return stream.Digest();
}

Result<OrdinalSet> OrdinalSet::Parse(ByteView bytes) {
  Reader reader(bytes);
  OFINDEX_ASSIGN(const ByteView version, reader.Bytes(1));
  if (version[0] != kVersion) return reader.Damaged(StrCat("unknown version; expected 1, got ", version[0]));
  OFINDEX_ASSIGN(const uint64_t size, reader.Varint(kEnd));
  Builder builder;
  uint64_t begin = 0;  // of the next possible page of an entry
  while (!reader.AtEnd()) {
    if (begin >= kEnd) return reader.Damaged("continues after the last ordinal");
    OFINDEX_ASSIGN(const uint64_t head, reader.Varint(((kEnd - begin) / kPageOrdinals - 1) * 2 + 1));
    begin += head / 2 * kPageOrdinals;
    if (head % 2 == 1) {
      OFINDEX_ASSIGN(const uint64_t offset, reader.Varint(kPageOrdinals - 1));
      OFINDEX_ASSIGN(const uint64_t count, reader.Varint(kEnd - begin - offset));
      builder.AddRange(begin + offset, begin + offset + count);
      begin = (begin + offset + count + kPageOrdinals - 1) / kPageOrdinals * kPageOrdinals;
    } else {
      OFINDEX_ASSIGN(const uint64_t count, reader.Varint(kPageOrdinals));
      OFINDEX_TRY(ReadPage(reader, begin, count, kPageWords, count >= kDenseMembers, builder));
      begin += kPageOrdinals;
    }
  }
  OrdinalSet set = builder.Take();
  if (set.size() != size) return reader.Damaged(StrCat("expected ", size, " members, got ", set.size()));
  Comparer comparer{bytes};
  set.WriteTo(comparer);
  if (!comparer.same || !comparer.expected.empty())
    return reader.Damaged("is not in the form that its members require");
  return set;
}

}  // namespace ofindex
