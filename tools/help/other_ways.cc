#include "tools/help/other_ways.h"

#include <algorithm>
#include <array>

#include "base/record.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr std::string_view kRedirect = "it writes to standard output: append `> FILE`";
constexpr std::string_view kHead = "append `| head -n N`, or draw N at random with `ofindex sample INDEX -n N`";
constexpr std::string_view kBatches =
    "records are read in batches in Python: `ofindex.torch.Loader(ds, features, batch_size=N)`";

// What the same option is called elsewhere.
struct Synonym {
  std::string_view word;
  std::string_view option;
};

constexpr std::array<Synonym, 11> kSynonyms = {{{"-o", "--output"},
                                                {"--out", "--output"},
                                                {"--outfile", "--output"},
                                                {"-n", "--limit"},
                                                {"--head", "--limit"},
                                                {"--max-rows", "--limit"},
                                                {"--filter", "--where"},
                                                {"--query", "--where"},
                                                {"--batch", "--batch-size"},
                                                {"--features", "--feature"},
                                                {"--columns", "--feature"}}};

struct Way {
  std::string_view verb;
  std::string_view option;
  std::string_view hint;
};

constexpr std::array<Way, 23> kWays = {
    {{"get", "--output", "append `> FILE`, or write records with `ofindex cat INDEX -o FILE`"},
     {"info", "--output", kRedirect},
     {"sample", "--output", kRedirect},
     {"schema", "--output", kRedirect},
     {"sql", "--output", kRedirect},
     {"stats", "--output", kRedirect},
     {"verify", "--output", kRedirect},
     {"where", "--output", kRedirect},
     {"convert", "--limit", "take the first N records with --where '_id < N'"},
     {"get", "--limit", "name the records by a range of ordinals: `ofindex get INDEX :N`"},
     {"where", "--limit", kHead},
     {"sql", "--where", "write it into the query: SELECT ... FROM records WHERE EXPR"},
     {"stats", "--where", "list the records that match with `ofindex where INDEX EXPR`, and name the list with --ids"},
     {"where", "--where", "give the expression without an option: `ofindex where INDEX EXPR`"},
     {"sql", "--feature", "name the columns in the query: SELECT \"NAME\" FROM records"},
     {"stats", "--feature", "give the names without an option: `ofindex stats INDEX NAME...`"},
     {"where", "--feature", "show features of the records that match: `ofindex get INDEX --where EXPR --feature NAME`"},
     {"cat", "--batch-size", kBatches},
     {"convert", "--batch-size", kBatches},
     {"get", "--batch-size", kBatches},
     {"split", "--batch-size", kBatches},
     {"sql", "--batch-size", kBatches},
     {"where", "--batch-size", kBatches}}};

}  // namespace

std::string OtherWay(std::string_view verb, std::string_view option) {
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.word == option) option = synonym.option;
  }
  const auto* way = std::find_if(kWays.begin(), kWays.end(),
                                 [&](const Way& one) { return one.verb == verb && one.option == option; });
  return way == kWays.end() ? std::string() : std::string(way->hint);
}

std::string OtherWay(std::string_view verb, std::string_view option, std::string_view value) {
  if (verb != "export" || option != "--to") return {};
  constexpr std::array<std::string_view, 6> kForms = {"jsonl", "csv", "arrow", "tfrecord", "ofrecord", "raw"};
  if (std::find(kForms.begin(), kForms.end(), value) == kForms.end()) return {};
  return StrCat("write records with `ofindex cat INDEX --to ", value, " -o FILE`",
                ParseFraming(value) ? ", or a set of shards with `ofindex convert`" : "");
}

}  // namespace ofindex
