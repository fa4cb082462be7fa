#include "proto/extract/uniform_run.h"

#include <cassert>

#include "proto/extract/name_table.h"
#include "proto/wire/wire.h"

namespace ofindex {
namespace {

constexpr uint8_t kTagOfFeatures = 1 << 3 | 2;

// Values of one entry from those of the next. Not a power of two: the values of one record would otherwise compete for
// the same lines of the cache.
constexpr size_t kStride = UniformRun::kMaxRecords + 8;

}  // namespace

void UniformRun::Expect(std::span<const CachedEntryHeader> headers, std::span<const std::string> names,
                        PayloadKind payload) {
  assert(records_ == 0 && headers.size() <= kMaxEntries);
  nested_ = payload != PayloadKind::kOfRecord;
  kinds_ = &kPlainKinds[nested_ ? 0 : 1];
  if (values_.size() < headers.size() * kStride) values_.resize(headers.size() * kStride);
  entries_.clear();
  for (const CachedEntryHeader& header : headers) {
    entries_.push_back({header, names[header.feature()], values_.data() + entries_.size() * kStride});
  }
}

void UniformRun::ExpectNothing() {
  assert(records_ == 0);
  entries_.clear();
}

bool UniformRun::Add(ByteView payload) {
  assert(!full());
  if (entries_.empty() || payload.size() > kMaxMessageBytes) return false;
  const uint8_t* p = payload.data();
  const uint8_t* const end = p + payload.size();
  if ((!nested_ || ReadPlainHeader(kTagOfFeatures, end, p)) && ReadEntries(p, end)) {
    ++records_;
    return true;
  }
  if (records_ == 0) entries_.clear();
  return false;
}

// Values become part of the run when their record is complete: until then, they are in the place of the next record.
bool UniformRun::ReadEntries(const uint8_t* p, const uint8_t* end) {
  const size_t record = records_;
  for (Entry& expected : entries_) {
    const uint64_t size = expected.header.MatchedValueSize(p, end);
    if (size == 0) {
      if (!ReadWithoutHeader(expected, p, end)) return false;
      continue;
    }
    p += expected.header.size();
    if (expected.header.kind() == FeatureKind::kBytes) {
      expected.values[record] = size;
      expected.last = p;
    } else if (!ReadPlainNumber(expected.header.kind(), p, size, end, expected.values[record])) {
      return false;
    }
    p += size;
  }
  return p == end;
}

// Reads an entry whose header differs, for example because a length takes one byte more.
bool UniformRun::ReadWithoutHeader(Entry& expected, const uint8_t*& p, const uint8_t* end) {
  PlainEntry entry;
  if (!ReadPlainEntry(p, end, *kinds_, entry) && !ReadLongPlainEntry(p, end, *kinds_, entry)) return false;
  if (entry.kind != expected.header.kind() || !EqualBytes(entry.name, AsBytes(expected.name))) return false;
  expected.values[records_] = entry.kind == FeatureKind::kBytes ? entry.value.size() : entry.bits;
  expected.last = entry.value.data();
  p += entry.size;
  return true;
}

}  // namespace ofindex
