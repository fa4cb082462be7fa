#include "tools/report/key_report.h"

#include "base/text.h"

namespace ofindex {
namespace {

std::string CountOrNo(uint64_t count, const char* noun) {
  return count == 0 ? StrCat("no ", noun, "s") : Counted(count, noun);
}

}  // namespace

std::string Describe(const KeyReport& report) {
  const KeyFacts& facts = report.facts;
  std::string text = StrCat("key ", Printable(facts.name), ": ", Counted(facts.records, "record"), ", ",
                            Counted(facts.keys, "distinct key"), ", ", CountOrNo(facts.repeats(), "duplicate"));
  if (facts.without != 0) text += StrCat(", ", Counted(facts.without, "record"), " without the feature");
  return text + StrCat(", ", FormatBytes(static_cast<double>(report.bytes)));
}

Json JsonKeys(const std::vector<KeyReport>& keys) {
  Json array = Json::array();
  for (const KeyReport& key : keys) {
    const KeyFacts& facts = key.facts;
    array.push_back({{"name", JsonText(facts.name)},
                     {"path", JsonText(key.path)},
                     {"records", facts.records},
                     {"keys", facts.keys},
                     {"duplicates", facts.repeats()},
                     {"records_without", facts.without},
                     {"bytes", key.bytes}});
  }
  return array;
}

}  // namespace ofindex
