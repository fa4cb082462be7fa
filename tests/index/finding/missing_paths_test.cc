#include "index/finding/missing_paths.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/index/working_folder.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

// A folder with data that have an index, data without one, and an index whose data are gone.
class Misspelt {
 public:
  Misspelt() : in_((fs::create_directories(dir_ / "data/train"), dir_.path())) {
    fs::create_directories(dir_ / "data/it's new");
    for (const char* name : {"train/part-0", "train.ofidx", "train.ofidx-map", "validation.ofidx"}) {
      WriteFile(dir_ / ("data/" + std::string(name)), "x");
    }
  }

 private:
  TempDir dir_;
  InFolder in_;
};

TEST_CASE("the nearest paths have the misspelt name replaced, and the rest as given") {
  const Misspelt folder;
  struct Row {
    std::string path;
    Paths nearest;
  };
  const std::vector<Row> rows = {
      {"data/trian", {"data/train"}},                // the last name
      {"data/trian/", {"data/train"}},               // with a slash
      {"dtaa/train", {"data/train"}},                // a folder on the way
      {"dtaa/train/part-0", {"data/train/part-0"}},  // far from the end
      {"./data/Train", {"./data/train"}},            // case
      {"data/trian.ofidx", {"data/train.ofidx"}},    // an index
      {"data/validatoin", {"data/validation"}},      // data that only the index knows
      {"data/train/part-9", {"data/train/part-0"}},  // a file
      {"dtaa/nothing", {}},                          // the rest is not there
      {"data/nothing", {}},                          // nothing alike
      {"data/train", {}},                            // not missing
      {"", {}},                                      // empty
      {"no/such/folder", {}},                        // nothing at all
      {std::string(5000, 'a'), {}},                  // longer than any name
      {"data/train/part-0/part-1", {}},              // a file is no folder
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(NearestPaths(row.path) == row.nearest);
  }
}

TEST_CASE("an index that is not there: whether there are data decides what is said") {
  const Misspelt folder;
  const std::string new_index = "data/it's new.ofidx";
  struct Row {
    std::string name;
    Paths places;
    std::string message;
    std::string hint;
  };
  const std::string elsewhere = "; one that `ofindex build --index-dir DIR` wrote is found if OFINDEX_INDEX_DIR is DIR";
  const std::vector<Row> rows = {
      {"data/it's new",
       {new_index},
       new_index + ": there is no index",
       "build it with `ofindex build 'data/it'\\''s new'`" + elsewhere},
      {new_index, {new_index}, new_index + ": there is no index", "build it with `ofindex build 'data/it'\\''s new'`"},
      {"data/it's new",
       {"/idx/new.ofidx", new_index},
       "/idx/new.ofidx: there is no index, and there is none at " + new_index + " either",
       "build it with `ofindex build 'data/it'\\''s new'`"},
      {"data/trian",
       {"data/trian.ofidx"},
       "data/trian: no such file or folder, and no index data/trian.ofidx",
       "did you mean 'data/train'?"},
      {"data/trian",
       {"/idx/x.ofidx", "data/trian.ofidx"},
       "data/trian: no such file or folder, and no index /idx/x.ofidx or data/trian.ofidx",
       "did you mean 'data/train'?"},
      {"data/trian.ofidx",
       {"data/trian.ofidx"},
       "data/trian.ofidx: there is no index, and no data data/trian",
       "did you mean 'data/train.ofidx'?"},
      {"nothing",
       {"nothing.ofidx"},
       "nothing: no such file or folder, and no index nothing.ofidx",
       "name an index, or the data that it is named after"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Error error = NoIndex(row.name, row.places);
    CHECK(error.code == ErrorCode::kNotFound);
    CHECK(error.message == row.message);
    CHECK(error.hint.text() == row.hint);
  }
  CHECK(NoSuchPath("data/trian").hint.text() == "did you mean 'data/train'?");
  CHECK(NoSuchPath("nothing").hint.text() == "name a file or a folder that is there");
}

TEST_CASE("a path is one word of the shell") {
  struct Row {
    std::string path;
    std::string word;
  };
  const std::vector<Row> rows = {
      {"data/train-0.tfrecord", "data/train-0.tfrecord"},  // as it is
      {"my data", "'my data'"},                            // a space
      {"$HOME;*", "'$HOME;*'"},                            // what a shell expands
      {"it's", "'it'\\''s'"},                              // a quote
      {"~data", "'~data'"},                                // a home folder
      {"-q", "./-q"},                                      // an option
      {"@list", "./@list"},                                // a list
      {"bildhöhe", "'bildhöhe'"},                          // not ASCII
      {"a\nb", "DATA"},                                    // not printable
      {"", "DATA"},                                        // empty
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(PathWord(row.path, "DATA") == row.word);
  }
}

}  // namespace
}  // namespace ofindex
