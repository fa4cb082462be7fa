#include "python/src/columns/listing.h"

#include "base/text.h"
#include "python/src/convert/bytes.h"

namespace nb = nanobind;

namespace ofindex::python {

nb::list TextsOf(const std::vector<std::string>& texts) {
  return ListOf(texts, [](const std::string& text) { return TextOf(text); });
}

nb::list BadOf(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards) {
  return ListOf(bad, [&](const BadRow& row) {
    return DictOf("record", Count(row.record), "shard", TextOf(shards[row.shard].path), "offset", Count(row.offset),
                  "reason", TextOf(Name(row.reason)));
  });
}

nb::list DamageOf(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards) {
  return ListOf(damage, [&](const DamageRow& row) {
    nb::dict damaged = DictOf("shard", TextOf(shards[row.shard].path), "begin", Count(row.range.begin), "end",
                              Count(row.range.end), "reason", TextOf(Name(row.range.reason)));
    if (row.range.file) {
      Put(damaged, "file_begin", Count(row.range.file->begin), "file_end", Count(row.range.file->end));
    }
    return damaged;
  });
}

nb::list SkippedOf(const std::vector<SkippedFile>& skipped) {
  return ListOf(skipped, [](const SkippedFile& file) {
    return DictOf("path", TextOf(file.path), "reason", TextOf(file.reason));
  });
}

}  // namespace ofindex::python
