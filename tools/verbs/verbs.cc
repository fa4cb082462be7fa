#include "tools/verbs/verbs.h"

#include "tools/options/explanations.h"

namespace ofindex {

Verb AddVerb(CommandLine& line, Context& context, const char* name, const char* help, Formats formats) {
  Verb verb = line.AddVerb(name, help);
  Explain(verb, name);
  if (formats != Formats::kNone) {
    verb.AddFlag("--json", context.json, "One JSON document on standard output");
    if (formats == Formats::kJsonAndJsonl) {
      verb.AddFlag("--jsonl", context.jsonl, "One JSON object per line").Excludes({"--json"});
    } else {
      verb.AddFlag("--jsonl", context.json, "The same, on one line").Excludes({"--json"});
    }
  }
  verb.AddFlag("-q,--quiet", context.quiet, "No messages except errors");
  verb.AddFlag("-v,--verbose", context.verbose, "More messages");
  verb.AddChoice("--progress", context.progress_mode,
                 {{"auto", ProgressMode::kAuto},
                  {"plain", ProgressMode::kPlain},
                  {"json", ProgressMode::kJson},
                  {"none", ProgressMode::kNone}},
                 "MODE",
                 "On standard error: auto (a line on a terminal, otherwise plain), plain (a line every 30 s), "
                 "json (an object per line), none; default auto");
  verb.AddChoice("--color", context.color, {{"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}},
                 "WHEN", "auto, always or never; auto obeys NO_COLOR and CLICOLOR_FORCE; default auto");
  verb.AddOption("--index-dir", context.index_folder, "DIR",
                 "Write and find indexes of DATA below this folder, for data whose own folder cannot be written to; "
                 "default: OFINDEX_INDEX_DIR")
      .NotEmpty();
  verb.EndCommonOptions();
  return verb;
}

void AddInflateOptions(Verb& verb, InflateOptions& inflate) {
  verb.AddMebibytes("--checkpoint-every", inflate.checkpoint_bytes, 1, 1024,
                    "Compressed shards: inflated MiB between access points; default 2");
  verb.AddOption("--max-ratio", inflate.max_ratio, "N",
                 "Compressed shards: the most inflated bytes per byte of the file; a shard beyond that is refused as a "
                 "bomb; default 200")
      .Between(1, 2000);
  verb.AddMebibytes("--max-inflated", inflate.max_bytes, 1, uint64_t{1} << 40,
                    "Compressed shards: the most inflated MiB per shard; a shard beyond that is refused as a bomb; "
                    "default 1048576 (1 TiB)");
}

}  // namespace ofindex
