#include "index/merge/part_rebuilder.h"

#include <unistd.h>

#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/paths.h"
#include "index/columns/column_choice.h"
#include "index/output/atomic_file.h"
#include "index/parts/part_plan.h"

namespace ofindex {

PartRebuilder::~PartRebuilder() {
  for (const std::string& path : paths_) ::unlink(path.c_str());
}

Result<std::vector<PartInput>> PartRebuilder::Rebuild(const PartInput& part, const WalkEntry& entry) {
  const PartFacts& facts = *part.facts.part;
  std::vector<PartInput> rebuilt;
  std::optional<WalkEntry> known = entry;
  for (uint32_t number = facts.first; number <= facts.last; ++number) {
    OFINDEX_ASSIGN(BuildOptions options, OptionsOf(part, {.part = number, .of = facts.of}));
    options.part_entry = known;
    OFINDEX_ASSIGN(const BuildReport report, RebuildOne(part, options));
    if (!report.shards.empty()) known.reset();
    OFINDEX_ASSIGN(PartInput input, PartInput::Read(options.index));
    rebuilt.push_back(std::move(input));
  }
  if (rebuilt.size() == 1) return rebuilt;
  return OrderParts(std::move(rebuilt),
                    [this](const PartInput& again, const WalkEntry& at) { return Rebuild(again, at); });
}

Result<BuildReport> PartRebuilder::RebuildOne(const PartInput& part, const BuildOptions& options) {
  Result<BuildReport> report = BuildIndex(options, progress_);
  std::string what;
  if (!report) {
    const ErrorCode code = report.error().code;
    const bool no_data = code == ErrorCode::kUsage || code == ErrorCode::kFormat || code == ErrorCode::kNotFound;
    if (!no_data) return report;
    what = report.error().message;
  } else {
    paths_.push_back(options.index);
    if (report->facts.part->job == part.facts.part->job) return report;
    what = "its data or options have changed";
  }
  return Fail(
      ErrorCode::kStale,
      StrCat(Printable(part.path), ": begins at bytes that only look like a record, and cannot be built again: ", what),
      "make its DATA available as they were, or build the index at once with `ofindex build`");
}

Result<BuildOptions> PartRebuilder::OptionsOf(const PartInput& part, const PartChoice& choice) const {
  const DatasetFacts& facts = part.facts;
  BuildOptions options;
  for (const std::string& source : facts.sources) {
    const bool is_list = source.starts_with('@');
    const std::string path = PathFrom(FolderOf(part.path), is_list ? source.substr(1) : source);
    options.data.push_back(is_list ? "@" + path : path);
  }
  // A finished part keeps the name of a temporary file; Begin removes one that a killed merge left.
  const std::string target = StrCat(PartPathOf(index_, choice), ".again");
  OFINDEX_TRY(AtomicFile::Begin(target, AtomicFile::IfLocked::kFail));
  options.index = StrCat(target, kTemporarySuffix);
  options.verify = facts.checked == Checked::kPayloads;
  if (facts.format != "auto") options.format.framing = ParseFraming(facts.format);
  if (facts.payload != "auto") options.format.payload = ParsePayloadKind(facts.payload);
  if (facts.compression != "auto") options.format.compression = ParseCompression(facts.compression);
  OFINDEX_ASSIGN(options.columns, ColumnChoice::Parse(facts.columns, facts.derive));
  options.derive = options.columns->derived;
  const InflateFacts& inflate = facts.part->inflate;
  options.inflate = {
      .checkpoint_bytes = inflate.checkpoint_bytes, .max_ratio = inflate.max_ratio, .max_bytes = inflate.max_bytes};
  options.threads = threads_;
  options.durability = AtomicFile::Durability::kCached;
  options.part = choice;
  options.segment_bytes = segment_bytes_;
  options.save_after = kNeverSave;  // no other run would find it
  return options;
}

}  // namespace ofindex
