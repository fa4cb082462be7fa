#include "tools/options/command_line.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace ofindex {
namespace {

enum class Colour { kRed, kGreen, kBlue };

/// A command with two verbs: `paint`, whose options are of every kind, and `rest`, which has none.
struct Painting {
  std::string wall;
  std::vector<std::string> more;
  std::string name = "none";
  std::optional<std::string> title;
  std::vector<std::string> words;
  uint64_t seed = 0;
  std::optional<uint64_t> most;
  unsigned threads = 0;
  double share = 0;
  uint64_t bytes = 0;
  Colour colour = Colour::kBlue;
  bool wet = false;
  int verbose = 0;
  CommandLine line{CommandTable{.program = "painter", .summary = "Paints", .version = "1"}};

  Painting() {
    Verb paint = line.AddVerb("paint", "Paint a wall");
    paint.AddArgument("WALL", wall, "The wall").Required();
    paint.AddArgument("MORE", more, "Further walls");
    paint.AddOption("--name", name, "NAME", "A name").NotEmpty();
    paint.AddOption("--title", title, "TITLE", "A title").Excludes({"--name"});
    paint.AddOption("-p,--param", words, "WORD", "Words");
    paint.AddNumber("--seed", seed, "N", "A number");
    paint.AddNumber("--most", most, "N", "A number").Needs("--seed");
    paint.AddOption("-j,--threads", threads, "N", "Threads").Between(1, 64);
    paint.AddOption("--share", share, "X", "A share");
    paint.AddMebibytes("--cache", bytes, 1, 8, "Memory");
    const std::vector<std::pair<std::string, Colour>> colours = {{"red", Colour::kRed}, {"green", Colour::kGreen}};
    paint.AddChoice("--colour", colour, colours, "COLOUR", "red or green");
    paint.AddFlag("--wet", wet, "A flag");
    paint.AddFlag("-v", verbose, "A flag that is counted");
    paint.Runs([] { return 3; });
    line.AddVerb("rest", "Do nothing").Runs([] { return 4; });
  }

  Result<VerbBody> Parse(std::vector<std::string> words_of_line) {
    words_of_line.insert(words_of_line.begin(), "painter");
    std::vector<char*> argv;
    for (std::string& word : words_of_line) argv.push_back(word.data());
    argv.push_back(nullptr);
    return line.Parse(static_cast<int>(words_of_line.size()), argv.data());
  }
};

TEST_CASE("parsing returns the body of the given verb") {
  CHECK((*Painting().Parse({"paint", "a"}))() == 3);
  CHECK((*Painting().Parse({"rest"}))() == 4);
}

TEST_CASE("values are stored in the variables of their options") {
  Painting painting;
  REQUIRE(painting.Parse({"paint", "a",       "b",       "c",      "--title", "t",      "-p",
                          "x=1",   "--param", "y",       "--seed", "7",       "--most", "18446744073709551615",
                          "-j",    "16",      "--share", "0.5",    "--cache", "8",      "--colour",
                          "green", "--wet",   "-vv"}));
  CHECK(painting.wall == "a");
  CHECK(painting.more == std::vector<std::string>{"b", "c"});
  CHECK(painting.name == "none");
  CHECK(painting.title == "t");
  CHECK(painting.words == std::vector<std::string>{"x=1", "y"});
  CHECK(painting.seed == 7);
  CHECK(painting.most == UINT64_MAX);
  CHECK(painting.threads == 16);
  CHECK(painting.share == 0.5);
  CHECK(painting.bytes == uint64_t{8} << 20);
  CHECK(painting.colour == Colour::kGreen);
  CHECK(painting.wet);
  CHECK(painting.verbose == 2);
}

TEST_CASE("variables of options that are not given keep their values") {
  Painting painting;
  REQUIRE(painting.Parse({"paint", "a"}));
  CHECK(painting.more.empty());
  CHECK(painting.name == "none");
  CHECK_FALSE(painting.title);
  CHECK_FALSE(painting.most);
  CHECK(painting.colour == Colour::kBlue);
  CHECK_FALSE(painting.wet);
}

TEST_CASE("a wrong command line is a usage error with a hint to see the help") {
  struct Wrong {
    std::vector<std::string> words;
    std::string message;
    std::string hint;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {{}, "the verb is missing; usage: painter VERB [ARGUMENTS] [OPTIONS]", "see `painter --help`"},
           {{"sand"}, "there is no verb 'sand'", "see `painter --help`"},
           {{"pain"}, "there is no verb 'pain'", "did you mean 'paint'?"},
           {{"paint"}, "WALL is missing; usage: painter paint WALL [MORE...] [OPTIONS]", "see `painter paint --help`"},
           {{"paint", "a", "--name", ""}, "--name: is empty; expected a name", "see `painter paint --help`"},
           {{"paint", "a", "--nane", "n"}, "paint has no option '--nane'", "did you mean '--name'?"},
           {{"paint", "a", "--name", "n", "--title", "t"},
            "--name and --title exclude each other; expected one of them",
            "see `painter paint --help`"},
           {{"paint", "a", "--most", "1"}, "--most: expected only together with --seed", "see `painter paint --help`"},
           {{"paint", "a", "-j", "65"},
            "--threads: expected a number from 1 to 64, got '65'",
            "see `painter paint --help`"},
           {{"paint", "a", "-j", "0x10"},
            "--threads: expected a number from 1 to 64, got '0x10'",
            "see `painter paint --help`"},
           {{"paint", "a", "--seed", "-1"},
            "--seed: expected a number from 0 to 18446744073709551615, got '-1'",
            "see `painter paint --help`"},
       }) {
    CAPTURE(wrong.message);
    const Result<VerbBody> parsed = Painting().Parse(wrong.words);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kUsage);
    CHECK(parsed.error().message == wrong.message);
    CHECK(parsed.error().hint.text() == wrong.hint);
  }
}

TEST_CASE("the table has what the verbs declare") {
  const Painting painting;
  const VerbText* paint = painting.line.table().Find("paint");
  REQUIRE(paint != nullptr);
  CHECK(paint->summary == "Paint a wall");
  CHECK(paint->Find("--param") == paint->Find("-p"));
  CHECK(paint->Find("-p")->repeats);
  CHECK(paint->Find("--colour")->words == std::vector<std::string>{"red", "green"});
  CHECK(paint->Find("--colour")->completes == Completes::kWords);
  CHECK(paint->Find("--wet")->value.empty());
  CHECK(paint->Find("WALL") == nullptr);
  CHECK(painting.line.table().Find("sand") == nullptr);
}

}  // namespace
}  // namespace ofindex
