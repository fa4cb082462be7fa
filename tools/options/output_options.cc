#include "tools/options/output_options.h"

#include "base/text.h"

namespace ofindex {

void AddOutputOptions(Verb& verb, ShardSetRequest& request, const char* default_shards) {
  verb.AddOption(
          "-o,--output", request.out, "OUT",
          "A file if the name ends in .tfrecord or .ofrecord, or is part-N, and --shards is not given; otherwise "
          "a folder of part-N or NAME-SSSSS-of-NNNNN.tfrecord")
      .Required()
      .NotEmpty();
  verb.AddChoice("--to", request.framing, {{"tfrecord", Framing::kTfRecord}, {"ofrecord", Framing::kOfRecord}},
                 "FORMAT", "tfrecord or ofrecord")
      .Required();
  verb.AddOption("--shards", request.shards, "N", StrCat("Number of shards; default: ", default_shards))
      .Between(1, 99999);
  verb.AddChoice("--compress", request.compression, {{"gzip", Compression::kGzip}}, "HOW",
                 "gzip: compress each TFRecord file as a whole");
  verb.AddFlag("--force", request.force, "Replace the set of shards in OUT; default: off");
}

std::string Summary(const ShardSetWriter& writer) {
  const std::vector<std::string>& paths = writer.plan().paths;
  std::string names = Printable(paths.front());
  if (paths.size() > 1) names += StrCat(" and ", FormatCount(paths.size() - 1), " more");
  return StrCat(names, ": ", Counted(writer.records(), "record"), ", ",
                FormatBytes(static_cast<double>(writer.bytes())));
}

Json ToJson(const char* schema, const ShardSetWriter& writer, double seconds) {
  return {{"schema", schema},
          {"files", JsonTexts(writer.plan().paths)},
          {"records", writer.records()},
          {"bytes", writer.bytes()},
          {"seconds", seconds}};
}

}  // namespace ofindex
