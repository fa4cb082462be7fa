#include "index/keys/key_format.h"

#include <algorithm>
#include <bit>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint8_t kMaxBucketBits = 40;
constexpr uint8_t kMaxOrdinalBits = 48;

uint8_t BitsFor(uint64_t count) { return static_cast<uint8_t>(std::bit_width(count <= 1 ? uint64_t{1} : count - 1)); }

uint8_t BucketBitsFor(uint64_t entries) {
  return std::min(kMaxBucketBits, static_cast<uint8_t>(std::bit_width(entries / kBucketEntries)));
}

}  // namespace

SealedKind KeyKind(const std::string& index, const std::string& name) {
  std::string hint =
      StrCat("make it again with `ofindex key ", ShellWord(Printable(index)), " ", ShellWord(Printable(name)), "`");
  return {.magic = kKeyMagic, .version = kKeyVersion, .noun = "a key", .hint = std::move(hint)};
}

std::vector<uint8_t> KeyFacts::Encode() const {
  std::vector<uint8_t> out(kKeyFactsBytes + name.size());
  StoreLe64(out.data(), entries);
  StoreLe64(out.data() + 8, keys);
  StoreLe64(out.data() + 16, records);
  StoreLe64(out.data() + 24, without);
  out[32] = bucket_bits;
  out[33] = hash_bits;
  out[34] = ordinal_bits;
  out[35] = static_cast<uint8_t>((has_bytes ? 1 : 0) | (has_integers ? 2 : 0) | (has_mixed ? 4 : 0));
  StoreLe32(out.data() + 36, static_cast<uint32_t>(name.size()));
  std::copy(name.begin(), name.end(), out.begin() + kKeyFactsBytes);
  return out;
}

bool KeyFacts::Decode(ByteView in) {
  if (in.size() < kKeyFactsBytes || LoadLe32(in.data() + 36) != in.size() - kKeyFactsBytes) return false;
  entries = LoadLe64(in.data());
  keys = LoadLe64(in.data() + 8);
  records = LoadLe64(in.data() + 16);
  without = LoadLe64(in.data() + 24);
  bucket_bits = in[32];
  hash_bits = in[33];
  ordinal_bits = in[34];
  has_bytes = (in[35] & 1) != 0;
  has_integers = (in[35] & 2) != 0;
  has_mixed = (in[35] & 4) != 0;
  name = AsText(in.subspan(kKeyFactsBytes));
  return keys <= entries && bucket_bits <= kMaxBucketBits && bucket_bits <= hash_bits && hash_bits <= 64 &&
         ordinal_bits >= 1 && ordinal_bits <= kMaxOrdinalBits && part_bits() + ordinal_bits <= 64;
}

KeyFacts LayoutFor(uint64_t ordinals, uint64_t entries, uint8_t max_hash_bits) {
  KeyFacts facts;
  facts.ordinal_bits = BitsFor(ordinals);
  facts.bucket_bits = std::min(BucketBitsFor(entries), max_hash_bits);
  facts.hash_bits =
      static_cast<uint8_t>(std::min<unsigned>(max_hash_bits, facts.bucket_bits + 64U - facts.ordinal_bits));
  return facts;
}

}  // namespace ofindex
