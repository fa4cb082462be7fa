#include "query/sampling/sets/view.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "tests/query/sampling/sets/member_lists.h"

namespace ofindex {
namespace {

static_assert(sizeof(View) <= 64);

// Checks that a view equals `members` through every function.
void CheckView(const View& view, const Members& members) {
  REQUIRE(view.size() == members.size());
  std::mt19937_64 random(members.size());
  std::vector<uint64_t> mapped(members.empty() ? 0 : 100);
  Members expected;
  bool found = true;
  for (uint64_t& index : mapped) {
    index = random() % members.size();
    expected.push_back(members[index]);
    found = found && view.At(index) == members[index];
  }
  view.Map(mapped);
  CHECK(mapped == expected);
  for (const uint64_t ordinal : Probes(members, 1)) {
    const auto index = view.IndexOf(ordinal);
    found = found && index.has_value() == IsMember(members, ordinal) && (!index || *index == RankOf(members, ordinal));
  }
  CHECK(found);
  CHECK(view.Fingerprint() == View::Of(SetOfMembers(members)).Fingerprint());
}

TEST_CASE("a view of a set, and each slice of it, equals a list of its ordinals") {
  const OrdinalSet tenth = SetOfMembers(Random(0, 600'000, 0.1, 1));
  std::mt19937_64 random(2);
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const View view = View::Of(SetOfMembers(members));
    CheckView(view, members);
    CheckView(view.Where(tenth), Common(members, MembersOf(tenth)));
    const Members probes = Probes(members, 3);
    for (int i = 0; i < 4; ++i) {
      uint64_t begin = random() % (members.size() + 1);
      uint64_t end = random() % (members.size() + 1);
      if (begin > end) std::swap(begin, end);
      const Members part(members.begin() + static_cast<std::ptrdiff_t>(begin),
                         members.begin() + static_cast<std::ptrdiff_t>(end));
      const View slice = view.Slice(begin, end);
      CheckView(slice, part);
      CheckView(slice.Slice(part.size() / 3, part.size()),
                Members(part.begin() + static_cast<std::ptrdiff_t>(part.size() / 3), part.end()));
      CheckView(slice.Where(tenth), Common(part, MembersOf(tenth)));
      const uint64_t records = probes[random() % probes.size()];
      CheckView(slice.Below(records), Between(part, 0, records));
    }
  }
}

TEST_CASE("a range of ordinals behaves like any other view") {
  const Members all = All(70'000, 300'000);
  const View view = View::Range(70'000, 300'000);
  CheckView(view, all);
  CheckView(view.Slice(1000, 100'000), All(71'000, 170'000));
  CheckView(view.Below(80'000), All(70'000, 80'000));
  CheckView(view.Below(70'000), {});
  CheckView(view.Below(5), {});
  CheckView(view.Below(~uint64_t{0}), all);
  CheckView(view.Where(SetOfMembers(Mixed())), Common(all, Mixed()));
  CheckView(view.Where(SetOfMembers(Mixed())).Where(OrdinalSet::Range(0, 200'000)),
            Common(All(70'000, 200'000), Mixed()));
  CheckView(View::Range(9, 9), {});
  CheckView(View::Range(9, 5), {});
  CheckView(View(), {});
}

TEST_CASE("the fingerprint depends on the records, not on how the view stores them") {
  const View range = View::Range(100, 200'000);
  CHECK(range.Fingerprint().size() == 32);
  CHECK(View::Of(SetOfMembers(All(100, 200'000))).Fingerprint() == range.Fingerprint());
  Members more = {7};
  AddAll(more, 100, 200'000);
  CHECK(View::Of(SetOfMembers(more)).Fingerprint() != range.Fingerprint());
  CHECK(View::Of(SetOfMembers(more)).Slice(1, more.size()).Fingerprint() == range.Fingerprint());
  CHECK(View::Range(0, 200'000).Where(OrdinalSet::Range(100, 1'000'000)).Fingerprint() == range.Fingerprint());
  CHECK(View::Range(100, 200'001).Fingerprint() != range.Fingerprint());
  CHECK(View::Range(101, 200'001).Fingerprint() != range.Fingerprint());
  CHECK(View::Range(5, 5).Fingerprint() == View::Of(OrdinalSet()).Fingerprint());
  CHECK(View::Range(0, OrdinalSet::kEnd).Fingerprint() != View::Range(1, OrdinalSet::kEnd).Fingerprint());
}

TEST_CASE("fingerprints never change") {
  CHECK(View().Fingerprint() == "4d6ac5b7d1a1655cab94ac0ace7276c0");
  CHECK(View::Range(0, 1'000'000'000).Fingerprint() == "26c48d78bb6910a1dd0e3844db2a2b9e");
  CHECK(View::Of(SetOfMembers(Every(0, 1'000'000, 3))).Fingerprint() == "bc11be71556725614eafd721a15dec03");
}

}  // namespace
}  // namespace ofindex
