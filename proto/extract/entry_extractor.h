#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "proto/extract/cached_entry_header.h"
#include "proto/extract/extracted_feature.h"
#include "proto/extract/extractor_source.h"
#include "proto/extract/feature_reader.h"
#include "proto/extract/found_features.h"
#include "proto/extract/name_table.h"
#include "proto/extract/plain_entry.h"
#include "proto/features.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// Reads one Example, SequenceExample or OFRecord and finds its features by name. An extractor is created for one pass
/// over one payload. Views its arguments.
template <typename Source>
class EntryExtractor {
 public:
  using Reader = typename Source::Reader;
  using Field = typename Source::Field;
  using Bytes = typename Source::Bytes;

  /// If not `learning`, the pass skips features with new names; has_unknown() then tells whether there were any.
  EntryExtractor(Source& source, PayloadKind payload, NameTable& names, FoundFeatures& found,
                 std::vector<CachedEntryHeader>& cached_headers, bool learning)
      : source_(source),
        payload_(payload),
        names_(names),
        found_(found),
        values_(source, payload, found),
        kinds_(kPlainKinds[payload == PayloadKind::kOfRecord ? 1 : 0]),
        cached_headers_(cached_headers),
        learning_(learning),
        repeats_(!learning) {
    if (learning) cached_headers_.clear();  // numbers may be reassigned
  }

  /// Returns false if the payload is malformed or cannot be read.
  [[nodiscard]] bool Extract(Reader payload) {
    if (payload_ == PayloadKind::kOfRecord) return ExtractFeatures(payload);
    Field field;
    while (payload.Next(&field)) {
      if (field.type != WireType::kBytes) continue;
      Reader nested = payload.Nested(field.bytes);
      if (field.number == 1) {
        if (!ExtractFeatures(nested)) return false;
      } else if (field.number == 2 && payload_ == PayloadKind::kSequenceExample) {
        if (!ExtractMap<true>(nested)) return false;
      }
    }
    return payload.ok();
  }

  [[nodiscard]] bool has_unknown() const { return has_unknown_; }

  /// Returns the headers of the entries of this record if it has the same features in the same order as the record
  /// before, all of them plain and each once; empty otherwise.
  [[nodiscard]] std::span<const CachedEntryHeader> repeated() const {
    if (!repeats_ || found_.features().size() != position_) return {};
    return std::span(cached_headers_).first(position_);
  }

 private:
  // The parts of one map entry.
  struct Entry {
    Bytes name = {};
    uint32_t feature = NameTable::kDropped;
    ExtractedFeature values = {};
    bool mixed = false;  // steps of the list differ in kind
  };

  [[nodiscard]] bool ExtractFeatures(Reader& features) {
    if constexpr (std::is_same_v<Source, MemorySource>)
      features = features.Packed(ExtractPlainEntries(features.rest()));
    return ExtractMap<false>(features);
  }

  /// Extracts plain entries from the front of `features`, and returns the rest.
  ByteView ExtractPlainEntries(ByteView features) {
    const uint8_t* at = features.data();
    const uint8_t* const end = at + features.size();
    PlainEntry entry;
    while (true) {
      at = ExtractCached(at, end);
      if (!ReadPlainEntry(at, end, kinds_, entry) && !ReadLongPlainEntry(at, end, kinds_, entry)) return {at, end};
      const uint32_t feature = FindOrLearn(entry.name);
      if (feature != NameTable::kDropped) {
        if (!learning_) CacheHeader(at, entry, feature);
        AddPlain(feature, entry);
      } else {
        repeats_ = false;
      }
      at += entry.size;
    }
  }

  /// Extracts entries from `at` that match those of the previous record, and returns the end of the last one.
  const uint8_t* ExtractCached(const uint8_t* at, const uint8_t* end) {
    PlainEntry entry;
    size_t position = position_;
    for (; position < cached_headers_.size() && cached_headers_[position].Read(at, end, entry); ++position) {
      AddPlain(cached_headers_[position].feature(), entry);
      at += entry.size;
    }
    position_ = position;
    return at;
  }

  /// Stores the header of the entry just read in the cache.
  void CacheHeader(const uint8_t* at, const PlainEntry& entry, uint32_t feature) {
    const size_t position = position_ - 1;
    if (position >= kMaxFeatures) return void(repeats_ = false);
    if (position >= cached_headers_.size()) cached_headers_.resize(position + 1);
    CachedEntryHeader& cached = cached_headers_[position];
    repeats_ = repeats_ && cached.feature() == feature && cached.kind() == entry.kind;
    cached.Store(at, entry, feature);
  }

  void AddPlain(uint32_t feature, const PlainEntry& entry) {
    ExtractedFeature* place = found_.Place(feature, false);
    if (place == nullptr) return;
    *place = {.feature = feature, .kinds = BitOf(entry.kind), .kind = entry.kind, .count = 1, .bits = entry.bits};
    if (entry.kind == FeatureKind::kBytes) {
      place->bits = source_.Where(entry.value).offset;
      place->size = place->largest = entry.value.size();
      if (entry.value.size() <= kMaxKeptBytes) place->bytes = entry.value;
    }
  }

  template <bool kLists>
  [[nodiscard]] bool ExtractMap(Reader& map) {
    Field field;
    while (map.Next(&field)) {
      if (field.number != 1 || field.type != WireType::kBytes) continue;
      const Reader reader = map.Nested(field.bytes);
      if (!ExtractEntry<kLists>(reader)) return false;
    }
    return map.ok();
  }

  template <bool kLists>
  [[nodiscard]] bool ExtractEntry(const Reader& reader) {
    repeats_ = false;
    Entry entry;
    if (!ExtractValues<kLists>(reader, entry) || !FindName<kLists>(entry)) return false;
    ExtractedFeature* place = entry.feature == NameTable::kDropped ? nullptr : found_.Place(entry.feature, kLists);
    if (place == nullptr) return true;
    Finish<kLists>(entry);
    *place = entry.values;
    place->bytes = source_.View(*place);
    if (!names_.whole(entry.feature) || place->kind == FeatureKind::kNone || place->count == 1) return true;
    const bool is_bytes = place->kind == FeatureKind::kBytes;
    place->first = static_cast<uint32_t>(is_bytes ? found_.ranges.size() : found_.numbers.size());
    return KeepAll<kLists>(reader);
  }

  /// Reads a whole entry: stores its last name and a summary of its values in `entry`.
  template <bool kLists>
  [[nodiscard]] bool ExtractValues(Reader reader, Entry& entry) {
    Field field;
    while (reader.Next(&field)) {
      if (field.type != WireType::kBytes) continue;
      if (field.number == 1) entry.name = field.bytes;
      if (field.number != 2) continue;
      Reader value = reader.Nested(field.bytes);
      if (kLists ? !ExtractSteps(value, entry) : !values_.Extract(value, entry.values)) return false;
    }
    return reader.ok();
  }

  [[nodiscard]] bool ExtractSteps(Reader& list, Entry& entry) {
    Field field;
    while (list.Next(&field)) {
      if (field.number != 1 || field.type != WireType::kBytes) continue;
      Reader feature = list.Nested(field.bytes);
      ExtractedFeature step;
      if (!values_.Extract(feature, step)) return false;
      AddStep(step, entry);
    }
    return list.ok();
  }

  static void AddStep(const ExtractedFeature& step, Entry& entry) {
    ExtractedFeature& all = entry.values;
    all.kinds = static_cast<uint8_t>(all.kinds | BitOf(step.kind));
    if (step.count == 0) return;
    if (all.count == 0) all.kind = step.kind;
    if (all.kind != step.kind) entry.mixed = true;
    all.count += step.count;
    const bool is_one = all.count == 1;
    all.bits = is_one ? step.bits : 0;
    all.size = is_one ? step.size : 0;
    if (step.largest > all.largest) all.largest = step.largest;
  }

  template <bool kLists>
  static void Finish(Entry& entry) {
    ExtractedFeature& values = entry.values;
    if constexpr (!kLists) values.kinds = BitOf(values.kind);
    if (values.count == 0 || entry.mixed) values.kind = FeatureKind::kNone;
    if (entry.mixed) values.largest = 0;
    values.feature = entry.feature;
  }

  /// Sets the number of the entry's name, spelled as shown to users. Returns false if the name cannot be read.
  template <bool kLists>
  [[nodiscard]] bool FindName(Entry& entry) {
    const uint64_t size = entry.name.size();
    if (size + (kLists ? 2 : 0) > kMaxNameBytes) {
      DropLong();
      return true;
    }
    const uint8_t* bytes = source_.At(entry.name);
    if (bytes == nullptr && size != 0) return false;
    ByteView name(bytes, static_cast<size_t>(size));
    if constexpr (kLists) {
      name = names_.ShownList(name);
    }
    entry.feature = FindOrLearn(name);
    return true;
  }

  /// Returns the number of `name`, or kDropped if the name is not kept, or is new and this pass does not learn names.
  [[nodiscard]] uint32_t FindOrLearn(ByteView name) {
    const uint32_t feature = names_.Find(name, position_++);
    if (feature != NameTable::kUnknown) return feature;
    has_unknown_ = true;
    if (!learning_) return NameTable::kDropped;
    const uint32_t learnt = names_.Learn(name);
    for (const uint32_t number : names_.just_evicted()) found_.Remove(number);
    return learnt;
  }

  void DropLong() {
    has_unknown_ = has_unknown_ || !names_.dropped();
    if (learning_) names_.DropLong();
  }

  /// Reads an entry, known to be sound, a second time to keep its values.
  template <bool kLists>
  [[nodiscard]] bool KeepAll(Reader reader) {
    const size_t numbers = found_.numbers.size();
    const size_t ranges = found_.ranges.size();
    ExtractedFeature values;
    Field field;
    while (reader.Next(&field)) {
      if (field.number != 2 || field.type != WireType::kBytes) continue;
      Reader value = reader.Nested(field.bytes);
      if (kLists ? !KeepSteps(value) : !values_.Keep(value, values, numbers, ranges)) return false;
    }
    return reader.ok();
  }

  [[nodiscard]] bool KeepSteps(Reader& list) {
    Field field;
    while (list.Next(&field)) {
      if (field.number != 1 || field.type != WireType::kBytes) continue;
      Reader feature = list.Nested(field.bytes);
      ExtractedFeature step;
      if (!values_.Keep(feature, step, found_.numbers.size(), found_.ranges.size())) return false;
    }
    return list.ok();
  }

  Source& source_;
  PayloadKind payload_;
  NameTable& names_;
  FoundFeatures& found_;
  FeatureReader<Source> values_;
  const PlainKinds& kinds_;
  std::vector<CachedEntryHeader>& cached_headers_;  // by position in the record
  bool learning_;
  bool repeats_;  // so far, the record has the same features in the same order as the one before, and all are plain
  bool has_unknown_ = false;
  size_t position_ = 0;  // of the next entry in the record
};

}  // namespace ofindex
