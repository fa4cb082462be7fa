#include "tools/shell/output_options.h"

#include "base/text.h"
#include "tools/shell/number_option.h"

namespace ofindex {

void AddOutputOptions(CLI::App& verb, ShardSetRequest& request, const char* default_shards) {
  verb.add_option(
          "-o,--output", request.out,
          "A file, if it ends in .tfrecord or .ofrecord or is called part-N, and no --shards is given; otherwise a "
          "folder of part-N or NAME-SSSSS-of-NNNNN.tfrecord")
      ->required()
      ->check(CLI::Validator(NotEmpty, ""))
      ->type_name("OUT");
  verb.add_option_function<std::string>(
          "--to",
          [&request](const std::string& to) {
            request.framing = to == "ofrecord" ? Framing::kOfRecord : Framing::kTfRecord;
          },
          "tfrecord or ofrecord")
      ->required()
      ->check(CLI::IsMember({"tfrecord", "ofrecord"}).description(""))
      ->type_name("FORMAT");
  verb.add_option("--shards", request.shards, StrCat("Number of shards; default: ", default_shards))
      ->check(CLI::Range(1, 99999).description(""))
      ->type_name("N");
  verb.add_option_function<std::string>(
          "--compress", [&request](const std::string&) { request.compression = Compression::kGzip; },
          "gzip: compress each TFRecord file as a whole")
      ->check(CLI::IsMember({"gzip"}).description(""))
      ->type_name("HOW");
  verb.add_flag("--force", request.force, "Replace the set of shards in OUT; default: off");
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
