#include "query/keys/record_keys.h"

#include <algorithm>

#include "base/text.h"
#include "query/keys/key_text.h"

namespace ofindex {

Result<RecordKeys> RecordKeys::Open(const Dataset& dataset) {
  const std::shared_ptr<const RecordReader> reader(std::shared_ptr<void>(), &dataset.reader());  // does not own it
  OFINDEX_ASSIGN(std::shared_ptr<const ReaderSource> records, ReaderSource::Of(reader));
  return RecordKeys(dataset.snapshot()->index(), std::move(records));
}

Result<KeyLookup> RecordKeys::Key(const std::string& name) const { return KeyLookup::Open(index_, records_, name); }

Result<std::vector<uint64_t>> RecordKeys::Find(const KeyText& key, const Progress& progress) const {
  OFINDEX_ASSIGN(const KeyLookup lookup, Key(key.name));
  std::vector<uint64_t> found;
  const auto add = [&](const LookupKey& value) -> Result<void> {
    OFINDEX_ASSIGN(const std::vector<uint64_t> more, lookup.FindAll(value, progress));
    found.insert(found.end(), more.begin(), more.end());
    return {};
  };
  if (lookup.facts().has_bytes) OFINDEX_TRY(add(AsBytes(key.value)));
  // A feature may have byte strings in some records and integers in others.
  const Result<int64_t> integer = ParseIntegerKey(key.value, key.name);
  if (!integer && !lookup.facts().has_bytes) return tl::unexpected(integer.error());
  if (integer && lookup.facts().has_integers) {
    OFINDEX_TRY(add(*integer));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  return found;
}

Result<std::vector<uint64_t>> RecordKeys::FindText(const std::string& text) const {
  OFINDEX_ASSIGN(const KeyText key, ParseKeyText(text));
  OFINDEX_ASSIGN(std::vector<uint64_t> found, Find(key));
  if (!found.empty()) return found;
  return Fail(ErrorCode::kUsage, StrCat("key '", Printable(text), "': no record has it; expected a value that one has"),
              "`ofindex stats` lists frequent values of a column");
}

}  // namespace ofindex
