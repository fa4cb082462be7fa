#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "tests/index/update/index_contents.h"
#include "tests/index/update/updated_set.h"
#include "tests/support/compressed_bytes.h"
#include "tests/support/sanitizers.h"
#include "tests/support/shard_bytes.h"

// Shards that grow, each compared with a build of the same files.

namespace ofindex {
namespace {

struct Kind {
  Framing framing;
  Compression compression;

  [[nodiscard]] std::string Stored(const std::string& bytes) const {
    return compression == Compression::kNone ? bytes : Compressed(compression, bytes);
  }
};

const std::vector<Kind> kKinds = {{Framing::kTfRecord, Compression::kNone},
                                  {Framing::kOfRecord, Compression::kNone},
                                  {Framing::kTfRecord, Compression::kGzip},
                                  {Framing::kTfRecord, Compression::kZlib},
                                  {Framing::kOfRecord, Compression::kGzip}};

// A set with one sound shard, and another that is about to grow.
class GrowingSet : public UpdatedSet {
 public:
  GrowingSet(const Kind& kind, const std::string& before) : UpdatedSet(kind.framing), options_(Options()) {
    options_.format.payload = PayloadKind::kOpaque;
    Put("part-0", kind.Stored(ShardBytes(kind.framing, SomePayloads(3, 20, 7))));
    Put("part-1", before);
    Build(options_);
  }

  // Returns how the index differs from a fresh build, after the shard has grown to these bytes.
  [[nodiscard]] std::string GrowTo(const std::string& after) {
    WriteFile(Shard("part-1"), after);
    report_ = Update(options_);
    return FirstDifference(ReadIndex(index()).Dump(), BuildFresh(options_).Dump());
  }

  [[nodiscard]] const UpdateReport& report() const { return report_; }

 private:
  BuildOptions options_;
  UpdateReport report_;
};

TEST_CASE("a shard that was cut at any byte, and then completed, is as if it had been whole") {
  for (const Kind& kind : kKinds) {
    const std::string whole = kind.Stored(ShardBytes(kind.framing, SomePayloads(4, 9, 1)));
    for (size_t cut = 0; cut < whole.size(); cut += kCaseStep) {
      CAPTURE(StrCat(Name(kind.framing), " ", Name(kind.compression), ", cut at ", cut));
      GrowingSet set(kind, whole.substr(0, cut));
      REQUIRE(set.GrowTo(whole) == "");
      REQUIRE(ReadIndex(set.index()).ordinals == 7);
    }
  }
}

TEST_CASE("the damage of a shard that has grown is where a build finds it") {
  for (const Kind& kind : kKinds) {
    const std::string records = ShardBytes(kind.framing, SomePayloads(20, 400, 1));
    for (const std::string between : {"", "garbage", "\xff\xff\xff"}) {
      CAPTURE(StrCat(Name(kind.framing), " ", Name(kind.compression), ", after ", between.size(), " bytes"));
      std::string bytes = kind.Stored(records + between + records);
      GrowingSet set(kind, bytes);
      for (int times = 0; times < 3; ++times) {
        bytes += kind.Stored(records + between + records);
        REQUIRE(set.GrowTo(bytes) == "");
        // A second zlib stream is damage after which no position in the inflated bytes is trusted.
        if (kind.compression != Compression::kZlib) REQUIRE(set.report().gone_records == 0);
      }
    }
  }
}

}  // namespace
}  // namespace ofindex
