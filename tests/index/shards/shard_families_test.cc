#include "index/shards/shard_families.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "index/output/shard_names.h"

namespace ofindex {
namespace {

constexpr ShardTraits kExamples{Framing::kTfRecord, Compression::kNone, PayloadKind::kExample};
constexpr ShardTraits kZipped{Framing::kTfRecord, Compression::kGzip, PayloadKind::kExample};
constexpr ShardTraits kOfRecords{Framing::kOfRecord, Compression::kNone, PayloadKind::kOfRecord};

TEST_CASE("two files belong to one set only if their names say so") {
  struct Row {
    std::string sibling;
    std::string path;
    bool of_one_set;
  };
  const std::vector<Row> rows = {
      {"d/a-00000-of-00008", "d/a-00003-of-00008", true},
      {"d/a-00000-of-00008.gz", "d/a-00003-of-00008", true},  // compressed or not
      {"d/a-00000-of-00008", "d/b-00003-of-00008", false},    // another prefix
      {"d/a-00000-of-00008", "d/a-00003-of-00009", false},    // another number
      {"d/a-00000-of-00008", "e/a-00003-of-00008", false},    // another folder
      {"d/a-0-of-2.tfrecord", "d/a-1-of-2.json", false},      // another ending
      {"d/a.tfrecord-0-of-2", "d/b.tfrecord-0-of-1", true},   // the extension stands before the numbers
      {"d/part-0", "d/part-12", true},
      {"d/part-0", "e/part-12", false},
      {"d/part-r-00000", "d/part-r-00001", true},  // Spark's names
      {"d/part-0", "d/part-1.json", false},
      {"d/part-0", "d/part-list", false},
      {"d/a.tfrecord", "d/b.tfrecord", true},
      {"d/a.tfrecord", "d/b.tfrecord.gz", true},
      {"d/a.tfrecord", "e/b.tfrecord", false},
      {"d/a.tfrecord", "d/README.md", false},
      {"d/a.tfrecord.gz", "d/notes.json.gz", false},
      {"d/train-0", "d/train-1", true},  // names that differ only in digits
      {"d/x_00", "d/x_01", true},
      {"d/x_09", "d/x_10000", true},  // any width
      {"d/data1", "d/data2", true},
      {"d/0", "d/1", true},
      {"d/2024-01-02.log", "d/2024-11-30.log", true},
      {"d/val.tfrecord.0", "d/val.tfrecord.1", true},
      {"d/clip.v1", "d/clip.v2", false},  // digits in an extension do not number shards
      {"d/x.mp3", "d/x.mp4", false},
      {"d/x.shard01", "d/x.shard02", true},
      {"d/x.h4", "d/x.h5", false},
      {"d/x.h4.0", "d/x.h5.0", false},
      {"d/x.h5.0", "d/x.h5.1", true},
      {"d/x-1.mp4", "d/x-2.mp4", true},
      {"d/x-1.mp4", "d/x-2.mp3", false},
      {"d/a.tfrecord-00", "d/a.tfrecord-01", true},  // but digits after an extension do
      {"d/x_00.gz", "d/x_01", true},                 // compressed or not
      {"d/train-0", "e/train-1", false},             // another folder
      {"d/train-0", "d/val-0", false},               // another name
      {"d/train-0", "d/train-0.idx", false},         // another ending
      {"d/train-0", "d/train", false},               // no number
      {"d/train-0", "d/train-0-1", false},           // two numbers
      {"d1/a", "d2/a", false},                       // the number is the folder's
      {"d/a.tfrecord.0", "d/b.tfrecord", true},      // the extension stands before the number
      {"d/a.tfrecord.0.gz", "d/b.tfrecord.gz.1", true},
      {"d/v1.2.3", "d/w.3", true},  // an extension that is a number, if there is no other
      {"d/a.0", "d/b.1", false},
      {"d/a", "d/b", false},      // no common extension
      {"d.x/a", "d.x/b", false},  // a dot in the folder's name
      {".a", ".b", false},
      {"", "", false},
      {"-of-", "-of-", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sibling);
    CAPTURE(row.path);
    ShardFamilies families;
    families.Add(row.sibling, kExamples);
    CHECK(families.Of(row.path).has_value() == row.of_one_set);
  }
}

TEST_CASE("a number in a name puts two files into one set, and an extension alone does not") {
  struct Row {
    std::string a;
    std::string b;
    bool of_one_set;
  };
  const std::vector<Row> rows = {
      {"part-0", "part-3", true},
      {"part-0.tfrecord", "part-3.tfrecord", true},
      {"x_00.tfrecord", "x_01.tfrecord.gz", true},
      {"a-0-of-2.tfrecord", "a-1-of-2.tfrecord", true},
      {"a-0-of-2.tfrecord", "b-1-of-2.tfrecord", false},
      {"x_00.tfrecord", "y_00.tfrecord", false},
      {"a.tfrecord", "b.tfrecord", false},
      {"a.tfrecord", "a.tfrecord", false},  // no number
      {"d/x_00", "e/x_01", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.a);
    CAPTURE(row.b);
    CHECK(ShareSet(NumberedSetsOf(row.a), NumberedSetsOf(row.b)) == row.of_one_set);
  }
}

TEST_CASE("leading zeros, part-N and -of-N make a number that of a shard, and other numbers may be a person's") {
  for (const char* name : {"part-3", "d/part-3.tfrecord", "a-0-of-2.tfrecord", "x_00", "x01.tfrecord", "1/x_1_007"}) {
    CAPTURE(name);
    CHECK(HasShardNumber(name));
  }
  for (const char* name : {"exp2.tfrecord", "run-1", "v10_b", "a0", "train.tfrecord", "x_100", "00/exp2", ""}) {
    CAPTURE(name);
    CHECK_FALSE(HasShardNumber(name));
  }
}

TEST_CASE("the most frequent traits in the most reliable set decide, and in a tie the traits added first") {
  ShardFamilies families;
  CHECK_FALSE(families.Of("d/a.rec"));
  families.Add("d/a-0-of-3.rec", kExamples);
  for (const char* path : {"d/x.rec", "d/y.rec"}) families.Add(path, kOfRecords);
  CHECK(families.Of("d/a-1-of-3.rec") == kExamples);
  CHECK(families.Of("d/z.rec") == kOfRecords);
  families.Add("d/w.rec", kZipped);
  families.Add("d/v.rec", kZipped);
  CHECK(families.Of("d/z.rec") == kOfRecords);
  families.Add("d/u.rec", kZipped);
  CHECK(families.Of("d/z.rec") == kZipped);
}

TEST_CASE("a shard's own traits do not count when its traits are determined from its set") {
  ShardFamilies families;
  families.Add("part-0", kOfRecords);
  CHECK_FALSE(families.Of("part-0", kOfRecords));
  CHECK(families.Of("part-1") == kOfRecords);
  families.Add("part-1", kExamples);
  CHECK(families.Of("part-0", kOfRecords) == kExamples);
}

TEST_CASE("some names are recognised as shard names, whatever else is in the folder") {
  for (const char* name :
       {"a-00000-of-00001", "d/a-0-of-2.rec", "part-0", "d/part-00003-u-u.gz", "a.tfrecord", "a.tfrecord.gz",
        "a.tfrecord.0", "a.tfrecord.12.gz", "a.tfrecords", "a.tfrec", "d/a.ofrecord"}) {
    CAPTURE(name);
    CHECK(IsShardName(name));
  }
  for (const char* name :
       {"", "a", "d/passwd", "part", "part-x", "a.txt", "a-of-b", ".tfrecord", "tfrecord", "d-0-of-2/a"}) {
    CAPTURE(name);
    CHECK_FALSE(IsShardName(name));
  }
}

}  // namespace
}  // namespace ofindex
