#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "index/build/builder.h"
#include "proto/wire/wire.h"
#include "query/dataset.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"
#include "tools/streams/record_form.h"

namespace ofindex {
namespace {

TEST_CASE("a record whose values offsets of Arrow could not count is an error, and nothing of it is written") {
  const TempDir dir;
  const std::string payload = Field(1, Entry("bytes", ByteStrings({"value"})));
  WriteFile(dir / "data", ShardBytes(Framing::kTfRecord, {payload, payload}));
  Progress progress;
  BuildOptions options;
  options.data = {dir / "data"};
  REQUIRE(BuildIndex(options, progress));
  const Result<Dataset> dataset = Dataset::Open(dir / "data");
  REQUIRE(dataset);
  size_t written = 0;
  const auto form = MakeRecordForm({.form = "arrow", .features = {}}, *dataset, [&](ByteView bytes) -> Result<void> {
    written += bytes.size();
    return {};
  });
  REQUIRE(form);
  REQUIRE((*form)->Begin());
  REQUIRE((*form)->Take(0, LentRecord(AsBytes(payload))));
  const size_t before = written;
  const ByteView huge(AsBytes(payload).data(), kMaxMessageBytes + 1);  // refused before its bytes are read
  const Result<void> taken = (*form)->Take(1, LentRecord(huge));
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == ErrorCode::kLimit);
  CHECK(taken.error().message.find("too long") != std::string::npos);
  CHECK(written == before);
}

}  // namespace
}  // namespace ofindex
