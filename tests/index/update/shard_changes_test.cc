#include "index/update/shard_changes.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/text.h"
#include "tests/index/update/shards_on_disk.h"

namespace ofindex {
namespace {

using Known = std::vector<KnownShard>;
using Files = std::vector<DiskFile>;

// What was decided, as text: the files in order, then the shards that no file stands for, then the reads.
std::string Decided(const Known& known, Files files) {
  Disk disk{.files = std::move(files)};
  const auto changes = disk.Compare(known);
  REQUIRE(changes.has_value());
  std::string text;
  for (size_t i = 0; i < disk.files.size(); ++i) {
    const auto& [change, other] = changes->found[i];
    text += StrCat(text.empty() ? "" : "; ", disk.files[i].shard.file.stored_path, " ", Name(change));
    if (!other) continue;
    text += " " + NameOf(known[*other]);
    CHECK(changes->known[*other] == ShardDecision{change, i});
  }
  for (size_t i = 0; i < known.size(); ++i) {
    const auto& [change, other] = changes->known[i];
    const bool mutual = other && changes->found[*other] == ShardDecision{change, i};
    if (!mutual) text += StrCat(" | ", NameOf(known[i]), " ", Name(change));
  }
  for (const std::string& read : disk.reads) text += StrCat(&read == disk.reads.data() ? " # " : " ", read);
  return text;
}

TEST_CASE("a file in the state of the shard at its path is unchanged, and is not read") {
  CHECK(Decided({}, {}) == "");
  CHECK(Decided({Live("a", "xx"), Live("b", "yy"), Gone("c", "xx", 2)}, {OnDisk("a", "xx"), OnDisk("b", "yy")}) ==
        "a unchanged a; b unchanged b | c@2 gone");
}

TEST_CASE("a touched file is read once, and is unchanged if its bytes are the shard's") {
  CHECK(Decided({Live("a", "xx")}, {Touched(OnDisk("a", "xx"))}) == "a touched a # a:2");
  CHECK(Decided({Live("a", "xx"), Live("b", "xx")}, {Touched(OnDisk("a", "xx")), Touched(OnDisk("b", "xx"))}) ==
        "a touched a; b touched b # a:2 b:2");
}

TEST_CASE("another file of the same size at the path is a change, and is read once") {
  CHECK(Decided({Live("a", "xx")}, {OnDisk("a", "xy")}) == "a changed a # a:2");
}

TEST_CASE("a shorter file at the path is a change, and is not read") {
  CHECK(Decided({Live("a", "xx")}, {OnDisk("a", "x")}) == "a changed a");
  CHECK(Decided({Live("a", "xx")}, {OnDisk("a", "")}) == "a changed a");
}

TEST_CASE("a new file is not read unless a shard that is left has its size") {
  CHECK(Decided({Live("a", "xx")}, {OnDisk("a", "xx"), OnDisk("b", "yy")}) == "a unchanged a; b new");
  CHECK(Decided({Live("a", "xx")}, {OnDisk("b", "yyy")}) == "b new | a missing");
  CHECK(Decided({Live("a", "xx")}, {OnDisk("b", "yy")}) == "b new | a missing # b:2");
}

TEST_CASE("a copy of a shard that is still there is new") {
  CHECK(Decided({Live("b", "xx")}, {OnDisk("a", "xx"), OnDisk("b", "xx")}) == "a new; b unchanged b");
}

TEST_CASE("a shard moves with its file") {
  CHECK(Decided({Live("a", "xx"), Live("b", "yy")}, {OnDisk("b", "yy"), OnDisk("d/a", "xx")}) ==
        "b unchanged b; d/a moved a # d/a:2");
  // Onto another shard, whose records are nowhere then.
  CHECK(Decided({Live("a", "xx"), Live("b", "yyy")}, {OnDisk("a", "yyy")}) == "a moved b | a missing # a:3");
}

TEST_CASE("shards that change places keep their records") {
  const Known known = {Live("a", "xx"), Live("b", "yy"), Live("c", "zzz")};
  CHECK(Decided(known, {OnDisk("a", "yy"), OnDisk("b", "xx"), OnDisk("c", "zzz")}) ==
        "a moved b; b moved a; c unchanged c # a:2 b:2");
  CHECK(Decided(known, {OnDisk("a", "zzz"), OnDisk("b", "yy"), OnDisk("c", "xx")}) ==
        "a moved c; b unchanged b; c moved a # a:3 c:2");
  CHECK(Decided(known, {OnDisk("a", "yy"), OnDisk("b", "zzz"), OnDisk("c", "xx")}) ==
        "a moved b; b moved c; c moved a # a:2 b:3 c:2");
}

TEST_CASE("of two new copies of a missing shard, the first in natural order is the shard") {
  CHECK(Decided({Live("a", "xx")}, {OnDisk("b9", "xx"), OnDisk("b10", "xx")}) == "b9 moved a; b10 new # b9:2");
}

TEST_CASE("of two missing shards of equal content, the first in natural order moves") {
  CHECK(Decided({Live("a10", "xx"), Live("a9", "xx")}, {OnDisk("b", "xx")}) == "b moved a9 | a10 missing # b:2");
}

TEST_CASE("equal shards in a renamed folder keep their order") {
  CHECK(Decided({Live("c/2", "xx"), Live("c/10", "xx"), Live("c/1", "xx")},
                {OnDisk("d/1", "xx"), OnDisk("d/2", "xx"), OnDisk("d/10", "xx")}) ==
        "d/1 moved c/1; d/2 moved c/2; d/10 moved c/10 # d/1:2 d/2:2 d/10:2");
}

TEST_CASE("a gone shard comes back at its path without a read if its file was not touched") {
  CHECK(Decided({Gone("a", "xx", 2)}, {OnDisk("a", "xx")}) == "a restored a@2");
  CHECK(Decided({Gone("a", "xx", 2)}, {Touched(OnDisk("a", "xx"))}) == "a restored a@2 # a:2");
  CHECK(Decided({Gone("a", "xx", 2), Live("b", "yy")}, {OnDisk("a", "xx")}) == "a restored a@2 | b missing");
}

TEST_CASE("a gone shard comes back under another name") {
  CHECK(Decided({Gone("a", "xx", 2)}, {OnDisk("b", "xx")}) == "b restored a@2 # b:2");
}

TEST_CASE("content that returns to its path brings its records back, and the records in between go") {
  CHECK(Decided({Gone("a", "xx", 2), Live("a", "yy")}, {OnDisk("a", "xx")}) == "a restored a@2 | a missing");
}

TEST_CASE("of gone shards of equal content, the latest comes back first") {
  CHECK(Decided({Gone("a", "xx", 2), Gone("b", "xx", 4), Gone("c", "xx", 3)}, {OnDisk("d", "xx"), OnDisk("e", "xx")}) ==
        "d restored b@4; e restored c@3 | a@2 gone # d:2 e:2");
  CHECK(Decided({Gone("a", "xx", 2), Gone("a", "xx", 4)}, {OnDisk("a", "xx")}) == "a restored a@4 | a@2 gone");
  CHECK(Decided({Gone("b", "xx", 2), Gone("a", "xx", 2)}, {OnDisk("c", "xx")}) == "c restored a@2 | b@2 gone # c:2");
}

TEST_CASE("a live shard moves before a gone one of equal content comes back") {
  CHECK(Decided({Gone("b", "xx", 2), Live("a", "xx")}, {OnDisk("b", "xx")}) == "b moved a | b@2 gone");
  // A swap is one even if a gone shard remembers a name.
  CHECK(Decided({Gone("a", "yy", 2), Live("a", "xx"), Live("b", "yy")}, {OnDisk("a", "yy"), OnDisk("b", "xx")}) ==
        "a moved b; b moved a | a@2 gone # b:2");
}

TEST_CASE("gone shards of equal content come back at their own paths first") {
  CHECK(Decided({Gone("a", "xx", 2), Gone("b", "xx", 3)}, {OnDisk("a", "xx"), OnDisk("b", "xx")}) ==
        "a restored a@2; b restored b@3");
  CHECK(Decided({Gone("b", "xx", 3)}, {OnDisk("a", "xx"), OnDisk("b", "xx")}) == "a new; b restored b@3");
}

TEST_CASE("a file that begins with the shard has grown, and only the beginning is read") {
  CHECK(Decided({Live("a", "xx")}, {OnDisk("a", "xxyy")}) == "a grown a # a:2");
  CHECK(Decided({Live("a", "xx")}, {OnDisk("a", "xyyy")}) == "a changed a # a:2");
}

TEST_CASE("a shard that was copied and then appended to has grown, and the copy is new") {
  CHECK(Decided({Live("b", "xx")}, {OnDisk("a", "xx"), OnDisk("b", "xxy")}) == "a new; b grown b # b:2");
  CHECK(Decided({Live("a", "xx")}, {OnDisk("a", "xxy"), WithInodeOf("a", OnDisk("b", "xx"))}) ==
        "a grown a; b new # a:2");
  CHECK(Decided({Live("a", "xx"), Gone("b", "xx", 2)}, {OnDisk("a", "xxy"), OnDisk("b", "xx")}) ==
        "a grown a; b restored b@2 # a:2");
}

TEST_CASE("whatever their names, shards that all grew go on at their paths") {
  CHECK(Decided({Live("a", "x"), Live("k", "xx")}, {OnDisk("a", "xx"), OnDisk("k", "xxx"), OnDisk("zc", "x")}) ==
        "a grown a; k grown k; zc new # a:2 k:2 a:1");
  CHECK(Decided({Live("k", "x"), Live("a", "xx")}, {OnDisk("a", "xxx"), OnDisk("k", "xx"), OnDisk("zc", "x")}) ==
        "a grown a; k grown k; zc new # a:2 k:1");
}

TEST_CASE("a shard that cannot go on is its copy, which keeps its records, if there is one") {
  KnownShard broken = Live("a", "xx");
  broken.broken = true;
  CHECK(Decided({broken}, {OnDisk("a", "xxy"), OnDisk("b", "xx")}) == "a new; b moved a # b:2");
  CHECK(Decided({broken}, {OnDisk("a", "xxy")}) == "a grown a # a:2");
}

TEST_CASE("a longer file at a path is another shard if it has all of its bytes, and was not merely copied from it") {
  CHECK(Decided({Live("a", "xx"), Live("b", "xxy")}, {OnDisk("a", "xxy"), OnDisk("b", "xx")}) ==
        "a moved b; b moved a # a:3 b:2");
  CHECK(Decided({Live("a", "xx"), Gone("b", "xxy", 2)}, {OnDisk("a", "xxy")}) == "a restored b@2 | a missing # a:3");
  CHECK(Decided({Live("a", "xx"), Live("b", "xxy")}, {OnDisk("a", "xxy"), OnDisk("b", "xxy")}) ==
        "a grown a; b unchanged b # a:2");
  CHECK(Decided({Live("a", "x"), Live("b", "xx")}, {OnDisk("a", "xx"), OnDisk("b", "xxx")}) ==
        "a grown a; b grown b # a:2 b:2 a:1");
}

TEST_CASE("a grown file that was also renamed is known by its inode") {
  CHECK(Decided({Live("a", "xx")}, {WithInodeOf("a", OnDisk("b", "xxyy"))}) == "b grown a # b:2");
  CHECK(Decided({Live("a", "xx")}, {OnDisk("b", "xxyy")}) == "b new | a missing");
  // An inode that was given to another file.
  CHECK(Decided({Live("a", "xx")}, {WithInodeOf("a", OnDisk("b", "yyyy"))}) == "b new | a missing # b:2");
}

TEST_CASE("an inode number that two missing shards have, of two disks, proves nothing") {
  KnownShard twin = Live("b", "xx");
  twin.identity.inode = HashOf("a");
  CHECK(Decided({Live("a", "xx"), twin}, {WithInodeOf("a", OnDisk("c", "xxyy"))}) == "c new | a missing | b missing");
  CHECK(Decided({Live("a", "xx"), twin}, {OnDisk("a", "xx"), WithInodeOf("a", OnDisk("c", "xxyy"))}) ==
        "a unchanged a; c grown b # c:2");
}

TEST_CASE("logs that are rotated keep their records") {
  const Known known = {Live("a", "xx"), Live("a.1", "yy")};
  CHECK(Decided(known, {OnDisk("a", "z"), WithInodeOf("a", OnDisk("a.1", "xx")),
                        WithInodeOf("a.1", OnDisk("a.2", "yy"))}) == "a new; a.1 moved a; a.2 moved a.1 # a.1:2 a.2:2");
  // The last lines were written after the update.
  CHECK(Decided(known, {OnDisk("a", "z"), WithInodeOf("a", OnDisk("a.1", "xxx")),
                        WithInodeOf("a.1", OnDisk("a.2", "yy"))}) == "a new; a.1 grown a; a.2 moved a.1 # a.1:2 a.2:2");
}

TEST_CASE("a shard that grew while its disk was not mounted comes back with what was added") {
  CHECK(Decided({Gone("a", "x", 2), Gone("a", "xx", 4)}, {OnDisk("a", "xxyy")}) == "a grown a@4 | a@2 gone # a:2");
  // Earlier shards of the path, and those under another live one, are not looked at.
  CHECK(Decided({Gone("a", "xx", 2), Gone("a", "y", 4)}, {OnDisk("a", "xxyy")}) == "a new | a@2 gone | a@4 gone # a:1");
  CHECK(Decided({Gone("a", "xx", 2), Live("a", "y")}, {OnDisk("a", "xxyy")}) == "a changed a | a@2 gone # a:1");
}

TEST_CASE("shards without records are rewritten in place, and nothing of them is read") {
  CHECK(Decided({Live("a", "")}, {OnDisk("a", "xx")}) == "a refilled a");
  CHECK(Decided({Lost("a", "pointer")}, {OnDisk("a", "xx")}) == "a refilled a");
  CHECK(Decided({Lost("a", "x")}, {OnDisk("a", "xx")}) == "a refilled a");
  CHECK(Decided({Live("a", "")}, {WithInodeOf("a", OnDisk("b", "xx"))}) == "b new | a missing");
}

TEST_CASE("empty shards are told apart by path, then by order") {
  CHECK(Decided({Live("a", ""), Live("b", "")}, {OnDisk("a", ""), Touched(OnDisk("b", ""))}) ==
        "a unchanged a; b touched b # b:0");
  CHECK(Decided({Live("a", ""), Live("b", ""), Live("c", "")}, {OnDisk("b", ""), OnDisk("d", "")}) ==
        "b unchanged b; d moved a | c missing # d:0");
}

TEST_CASE("an unreadable file keeps its shard, at its path only") {
  CHECK(Decided({Live("a", "xx")}, {Hidden("a")}) == "a unreadable a");
  CHECK(Decided({Live("a", "xx")}, {Hidden("a"), OnDisk("b", "xx")}) == "a unreadable a; b new");
  CHECK(Decided({Live("a", "xx"), Gone("b", "yy", 2)}, {OnDisk("a", "xx"), Hidden("b"), Hidden("c")}) ==
        "a unchanged a; b unreadable; c unreadable | b@2 gone");
}

TEST_CASE("a file whose bytes cannot be read keeps its shard, unless these were found elsewhere") {
  const Known known = {Live("b", "xx")};
  CHECK(Decided(known, {Broken(OnDisk("b", "xx"))}) == "b unchanged b");
  CHECK(Decided(known, {OnDisk("a", "xx"), Broken(OnDisk("b", "yy"))}) == "a new; b unreadable b # b:2");
  // Of another size, it is certainly another file.
  CHECK(Decided(known, {OnDisk("a", "xx"), Broken(OnDisk("b", "y"))}) == "a moved b; b new # a:2");
  CHECK(Decided(known, {Broken(OnDisk("b", "xxx"))}) == "b unreadable b # b:2");
  CHECK(Decided(known, {OnDisk("a", "xx"), Broken(OnDisk("b", "xxx"))}) == "a moved b; b unreadable # b:2 a:2");
}

TEST_CASE("a file that fails is read once, and is listed with the reason") {
  const Known known = {Live("a", "xx"), Gone("b", "yyy", 2), Gone("c", "zzz", 3)};
  Disk disk{.files = {Broken(OnDisk("a", "xy")), Broken(OnDisk("d", "yyy"))}};
  const auto changes = disk.Compare(known);
  REQUIRE(changes.has_value());
  REQUIRE(changes->unreadable.size() == 2);
  CHECK(changes->unreadable[0].path == "a");
  CHECK(changes->unreadable[1].path == "d");
  CHECK(changes->unreadable[1].reason == "cannot open: Permission denied");
  CHECK(IsUnreadable(changes->unreadable[1]));
  CHECK(changes->found[1] == ShardDecision{ShardChange::kUnreadable});
  CHECK(disk.reads == std::vector<std::string>{"a:2", "d:3"});
}

TEST_CASE("an error that is not of one file ends the comparison") {
  for (const Error& error : {Error{ErrorCode::kStale, "shrank"}, Error{ErrorCode::kInterrupted, "interrupted"},
                             Error{.code = ErrorCode::kIo, .message = "no descriptor", .hint = {}, .system = EMFILE}}) {
    CAPTURE(error.message);
    const auto changes =
        FindShardChanges({Live("a", "xx")}, {Touched(OnDisk("a", "xx")).shard},
                         [&error](size_t, uint64_t) -> Result<uint64_t> { return tl::unexpected(error); });
    REQUIRE_FALSE(changes.has_value());
    CHECK(changes.error().message == error.message);
  }
}

TEST_CASE("shards below a folder that cannot be listed are kept, unless a file of theirs was named") {
  const Known known = {Live("d/a", "xx"), Live("d/e/b", "yyy"), Live("dd", "z"), Live("d/c", "v"), Gone("d/f", "w", 2)};
  CHECK(Decided(known, {Hidden("d"), OnDisk("d/c", "u"), OnDisk("d/e/x", "yyy")}) ==
        "d unreadable; d/c changed d/c; d/e/x new"
        " | d/a unreadable | d/e/b unreadable | dd missing | d/f@2 gone # d/c:1");
}

TEST_CASE("an index whose live shards are all missing is refused, as if the disk were not mounted") {
  const auto check = [](const Known& known, const Files& files) {
    const auto changes = Disk{.files = files}.Compare(known);
    REQUIRE(changes.has_value());
    return CheckNotAllMissing("train.ofidx", known, *changes);
  };
  const Known known = {Gone("a", "x", 2), Live("b", "yy"), Live("c", "zz")};
  for (const Files& files : {Files{}, Files{OnDisk("a", "x")}, Files{OnDisk("d", "other")}}) {
    const auto refused = check(known, files);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::kStale);
    CHECK(refused.error().message == "train.ofidx: none of 2 shards is there, such as b; is the disk mounted?");
    CHECK_FALSE(refused.error().hint.empty());
  }
  for (const Files& files : {Files{OnDisk("b", "other")}, Files{Hidden("b")}, Files{OnDisk("d", "zz")}}) {
    CHECK(check(known, files).has_value());
  }
  CHECK(check({}, {}).has_value());
  CHECK(check({Gone("a", "x", 2)}, {}).has_value());
}

TEST_CASE("many shards of equal content that all moved are paired in order") {
  Known known;
  Files files;
  for (int i = 0; i < 20'000; ++i) {
    known.push_back(Live(StrCat("c/", i), "xx"));
    files.push_back(OnDisk(StrCat("d/", i), "xx"));
  }
  const auto changes = Disk{.files = std::move(files)}.Compare(known);
  REQUIRE(changes.has_value());
  size_t in_order = 0;
  for (size_t i = 0; i < known.size(); ++i) in_order += changes->found[i] == ShardDecision{ShardChange::kMoved, i};
  CHECK(in_order == known.size());
}

}  // namespace
}  // namespace ofindex
