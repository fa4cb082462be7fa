#include "tools/options/explanations.h"

#include <map>
#include <vector>

namespace ofindex {
namespace {

struct Explanation {
  const char* text;
  std::vector<ExampleText> examples;
};

const std::map<std::string_view, Explanation>& Explanations() {
  static const std::map<std::string_view, Explanation> explanations = {
      {"build",
       {"The shards stay as they are; the index of DATA is DATA.ofidx, next to it. Features with one short value "
        "become columns, which `where`, `sql`, `stats` and `sample` use. An index that is still right is not built "
        "again.",
        {{"ofindex build data/train", "Writes data/train.ofidx"},
         {"ofindex build data/train --verify", "Also checks every payload byte, and stores a hash of each record"},
         {"ofindex build data/train --columns auto,petal --force",
          "Also stores the values of petal, a list in each record, as a column of JSON arrays"},
         {"ofindex build data/train --derive name:hash --derive name:length --force",
          "Also stores a hash and the length of the bytes in name; image instead of hash stores the size of images"}}}},
      {"update",
       {"Only new, grown and changed shards are read. No record gets another number: the numbers of records that are "
        "gone stay free, unless --prune is given.",
        {{"ofindex update data/train", "Brings data/train.ofidx up to date with its files"}}}},
      {"attach",
       {"The columns become columns of the records, next to the index: the shards and the index stay as they are. Rows "
        "and records are matched by a key; what matches nothing is counted and listed.",
        {{"printf '_id,score\\n0,0.5\\n' | ofindex attach data/train - --key _id", "Attaches a score to record 0"},
         {"ofindex attach data/train scores.csv --key name --as model_",
          "Attaches the columns of scores.csv by name, as model_score and so on"}}}},
      {"detach",
       {"The values are dropped; shards and index stay as they are.",
        {{"ofindex detach data/train score", "Drops a column"}}}},
      {"merge",
       {"The parts of `ofindex build --part` make the bytes of one build. Whole indexes become one if they were built "
        "with the same options.",
        {{"ofindex build data/train --part 1/2", "Builds the first half"},
         {"ofindex build data/train --part 2/2", "Builds the second half, perhaps on another machine"},
         {"ofindex merge data/train.part-1-of-2.ofidx data/train.part-2-of-2.ofidx -o data/merged.ofidx",
          "Puts them together"}}}},
      {"key",
       {"A key finds the records that have a value of a feature at once. It lies next to the index, takes some 9 bytes "
        "for each record, and is made again by `ofindex update`. `ofindex build --key NAME` makes it with the index.",
        {{"ofindex key data/train name", "Makes a key by the feature name"},
         {"ofindex get data/train --key name=setosa", "Shows the records with this name"}}}},
      {"info",
       {"No shard is read. Damage and bad records are listed, and the exit code is 0 nevertheless.",
        {{"ofindex info data/train", "Prints totals, shards, features and damage"},
         {"ofindex info data/train --json", "Prints the same for programs"}}}},
      {"schema",
       {"A feature with one value in a record is a column of its name. `NAME#count` is the number of values, "
        "`NAME#bytes` the size of a value that is too long to be stored.",
        {{"ofindex schema data/train", "Lists the features and their columns"}}}},
      {"stats",
       {"Only the index is read. Quartiles are exact, and distinct values are counted up to a million.",
        {{"ofindex stats data/train", "Describes every column"},
         {"ofindex stats data/train _length --by name", "Describes the sizes of the records of each name"}}}},
      {"audit",
       {"Groups of equal records, and their leaks across indexes. Hashes in the index (`ofindex build --verify`, or "
        "`--derive NAME:hash` for one feature) spare reading all records; only those with equal hashes are then read. "
        "With --near, all images are decoded.",
        {{"ofindex audit data/train", "Finds records with the same payload"},
         {"ofindex audit data/train --on name --label species -o equal.csv",
          "Finds records with the same name but another species, and writes a table to attach"}}}},
      {"report",
       {"The page has no script and loads nothing; pictures are part of it. The same index and options give the same "
        "page. The exit code is 4 if a shard is missing or was changed: the page says which.",
        {{"ofindex report data/train -o train.html", "Writes a page to look at, to mail or to publish"},
         {"ofindex report data/train -o train.html --force --seed 7 -n 60",
          "Replaces it, with other random records"}}}},
      {"where",
       {"In SQL, a column that is not a plain word is in double quotes, a string in single quotes. The exit code is 1 "
        "if no record matches.",
        {{"ofindex where data/train \"name = 'setosa' AND _id < 9\"", "Prints the numbers of matching records"},
         {"ofindex where data/train '\"petal#count\" = 2' --count", "Counts the records with two petals"}}}},
      {"sample",
       {"The order is the same on every machine, and takes no memory for each record. The ranks of a run read disjoint "
        "records; a run resumes at a position.",
        {{"ofindex sample data/train --seed 1 -n 3", "Prints the first three of a shuffled epoch"},
         {"ofindex sample data/train --seed 1 --rank 1 --world 4 --position 100 -n 3",
          "Prints what the second of four ranks reads from position 100"},
         {"ofindex sample data/train --where 'species = 2' -n 3", "Shuffles some of the records only"},
         {"ofindex sample data/train --seed 1 -n 3 | ofindex cat data/train --ids -",
          "Shows the records themselves"}}}},
      {"verify",
       {"Reads all shards. The exit code is 1 if anything is stale, bad or damaged.",
        {{"ofindex verify data/train", "Compares every byte with the index"},
         {"ofindex verify data/train --quick", "Compares the shards' sizes and fingerprints only"}}}},
      {"get",
       {"A record has its number in the dataset, from 0; -1 is the last. A range A:B ends before B. Long lists are "
        "cut: --jsonl shows them whole.",
        {{"ofindex get data/train 5 -1", "Shows record 5 and the last one"},
         {"ofindex get data/train 0:3 --jsonl", "Prints three records as JSON lines"},
         {"ofindex get data/train 5 --wire", "Explains every byte of a record"}}}},
      {"cat",
       {"Damaged records are left out. Memory is bounded, however long the stream.",
        {{"ofindex cat data/train --range 0:3", "Prints three records as JSON lines"},
         {"ofindex cat data/train --where \"name = 'setosa'\" --to tfrecord -o setosa.tfrecord",
          "Writes some of the records to a file of their own"}}}},
      {"sql",
       {"The tables are records (a row for each record), shards, features, bad and damage. A name that is not a plain "
        "word is in double quotes, a string in single quotes. Columns of every record are _id, _shard, _offset, "
        "_length "
        "and, after `ofindex build --verify`, _hash. Besides SQLite's functions there are median(x), percentile(x, "
        "95), "
        "stddev(x), variance(x), string_agg(x, ', ') and x REGEXP 'pattern'. No record file is read.",
        {{"ofindex sql data/train 'SELECT name, count(*) FROM records GROUP BY name'",
          "Counts the records of each name"},
         {"ofindex sql data/train 'SELECT _id FROM records WHERE name = :n LIMIT 3' -p n=setosa --csv",
          "Takes a value from a parameter, and prints CSV"}}}},
      {"serve",
       {"The URL is the first line on standard output. The URL contains a secret token: anyone who has it can read the "
        "data. Ctrl-C stops the server. It reads the index and the records, and writes nothing.",
        {{"ofindex serve data/train", "Prints the URL of a page with records, charts, filters and SQL"},
         {"ofindex serve data/train --port 8080",
          "Listens at port 8080, so that `ssh -L 8080:127.0.0.1:8080` finds it"}}}},
      {"split",
       {"Each part is a list of ordinals, one a line, for --ids of other verbs and for Python. The same seed gives the "
        "same parts everywhere.",
        {{"ofindex split data/train train=0.9,val=0.1 --stratify species -o parts",
          "Writes parts/train.ids and parts/val.ids, with the same shares of each species"},
         {"ofindex convert data/train --ids parts/val.ids -o val.ofrecord --to ofrecord",
          "Writes the records of one part"}}}},
      {"pack",
       {"A file becomes a record of its bytes, its name and the number of its folder; a row becomes a record with a "
        "feature for each column.",
        {{"ofindex pack items.csv -o items.tfrecord --to tfrecord", "Writes a record for each row"}}}},
      {"convert",
       {"Framing and payloads are converted, and checksums are checked. The shards that are read stay as they are.",
        {{"ofindex convert data/train -o flowers --to ofrecord", "Writes as many OFRecord parts as there are shards"},
         {"ofindex convert data/train -o mixed --to ofrecord --shuffle 7 --shards 2",
          "Writes them in a shuffled order, to two parts"}}}},
      {"export",
       {"Only uncompressed TFRecord shards can be exported. For CSV, Arrow and record files, see `ofindex help cat`.",
        {{"ofindex export data/train --to tfrecord2idx -o indexes",
          "Writes text indexes for DALI and vahidk/tfrecord"}}}},
      {"help",
       {"Manual pages and completions are installed with the command. A command that was installed with pip is "
        "completed once your shell has read its script: put one of the first two examples into the file that it reads "
        "first.",
        {{"eval \"$(ofindex help --completion bash)\"", "In ~/.bashrc; the same with zsh in ~/.zshrc, after compinit"},
         {"ofindex help --completion fish | source", "In ~/.config/fish/config.fish"},
         {"ofindex help build", "Explains a verb"}}}},
  };
  return explanations;
}

}  // namespace

void Explain(Verb& verb, std::string_view name) {
  const auto found = Explanations().find(name);
  if (found == Explanations().end()) return;
  verb.Describe(found->second.text);
  for (const ExampleText& example : found->second.examples) verb.AddExample(example.command, example.effect);
}

}  // namespace ofindex
