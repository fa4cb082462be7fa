#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "index/catalog/paths.h"
#include "index/output/atomic_file.h"
#include "index/output/folder.h"
#include "index/shards/output_rule.h"
#include "mmap/offsets/packed_offsets.h"
#include "mmap/shard_paths.h"
#include "query/columns/snapshot.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string index;
  std::string to;
  std::string folder;
  bool force = false;
};

// A text index being written: one line per record, with the record's offset and its size including framing. DALI's
// readers.tfrecord(index_path=) and vahidk/tfrecord read this format, and their tools tfrecord2idx write it.
class TextIndex {
 public:
  [[nodiscard]] static Result<TextIndex> Create(const fs::path& path) {
    std::vector<std::string> made;
    OFINDEX_TRY(MakeFolders(FolderOf(path.string()), made));
    OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(path.string(), AtomicFile::IfLocked::kFail));
    OFINDEX_ASSIGN(OutputFile file, temporary.Open());
    return TextIndex(std::move(temporary), std::move(file));
  }

  Result<void> Add(const BlockRow& block) {
    const PackedOffsets offsets(block.offsets.data());
    std::string lines;
    for (uint32_t i = 0; i < block.records; ++i) {
      const PackedOffsets::Extent extent = offsets.At(i);
      lines += StrCat(extent.begin, " ", extent.end - extent.begin, "\n");
    }
    return file_.Append(AsBytes(lines));
  }

  Result<void> Close() {
    OFINDEX_TRY(file_.Flush());
    return temporary_.Publish(AtomicFile::Durability::kDurable);
  }

 private:
  TextIndex(AtomicFile temporary, OutputFile file) : temporary_(std::move(temporary)), file_(std::move(file)) {}

  AtomicFile temporary_;
  OutputFile file_;
};

// Returns the path of a shard's text index: always below the folder, whatever shard names an untrusted index contains.
fs::path PathFor(const std::string& folder, const std::string& shard, size_t common) {
  fs::path below = fs::path(shard.substr(std::min(common, shard.size()))).lexically_normal();
  if (below.is_absolute() || below.empty() || *below.begin() == "..") below = fs::path(shard).filename();
  return fs::path(folder) / (below.string() + ".idx");
}

// Returns the file that is written, after following links: if the path is a link, its target is replaced.
fs::path TargetOf(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path file = fs::canonical(path, error);
    return error ? path : file;
  }
  const fs::path folder = fs::weakly_canonical(fs::absolute(path.parent_path(), error), error);
  return error ? path : folder / path.filename();
}

Result<std::vector<fs::path>> PathsOf(const std::vector<ShardRow>& shards, const ExportArguments& arguments,
                                      const InputFiles& inputs) {
  const size_t common = CommonFolderBytes(shards);
  std::vector<fs::path> paths;
  std::set<fs::path> taken;
  for (const ShardRow& shard : shards) {
    if (shard.framing == Framing::kOfRecord) {
      return Fail(ErrorCode::kUsage,
                  StrCat(Printable(shard.path), ": an OFRecord; tfrecord2idx supports only TFRecords"),
                  "`ofindex get` and `ofindex cat` read OFRecords through the index itself");
    }
    if (shard.compression != Compression::kNone) {
      return Fail(ErrorCode::kUsage,
                  StrCat(Printable(shard.path), ": compressed; readers of tfrecord2idx seek in the file itself"),
                  "write an uncompressed copy with `ofindex convert`");
    }
    paths.push_back(PathFor(arguments.folder, shard.path, common));
    const std::string path = Printable(paths.back().string());
    if (!taken.insert(TargetOf(paths.back())).second) {
      return Fail(ErrorCode::kUsage, StrCat(Printable(shard.path), ": two shards would be exported to ", path),
                  "export the folders of the dataset one by one");
    }
    OFINDEX_TRY(CheckOutput(paths.back().string(), OutputKind::kTextIndex, arguments.force, inputs));
  }
  return paths;
}

// The shards must be the files that were indexed: offsets into any other file are meaningless.
Result<void> CheckShards(const IndexFile& index, const std::vector<ShardRow>& shards) {
  const ShardPaths paths(FolderOf(index.path()), index.anchor());
  for (const ShardRow& shard : shards) {
    OFINDEX_ASSIGN(const File file, OpenIndexedShard(paths.PlaceOf(shard.path), paths.PathOf(shard.path)));
    OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
    OFINDEX_TRY(CheckShard(file, facts, shard.identity));
  }
  return {};
}

Result<std::vector<fs::path>> ExportAll(const Snapshot& snapshot, const ExportArguments& arguments,
                                        const Progress& progress) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  const std::vector<ShardRow>& shards = catalog->shards();
  OFINDEX_ASSIGN(std::vector<fs::path> paths, PathsOf(shards, arguments, InputFiles(snapshot.path(), shards, {})));
  OFINDEX_TRY(CheckShards(*snapshot.index(), shards));
  std::optional<TextIndex> open;
  size_t next = 0;
  // Ends the current shard and begins those up to `shard`; shards without records get empty files.
  const auto open_up_to = [&](size_t shard) -> Result<void> {
    for (; next <= shard; ++next) {
      if (open) OFINDEX_TRY(open->Close());
      open.reset();
      if (next == paths.size()) return {};
      OFINDEX_ASSIGN(open, TextIndex::Create(paths[next]));
    }
    return {};
  };
  const auto add_block = [&](const BlockRow& block) -> Result<void> {
    if (progress.cancel) return Interrupted();
    if (block.shard >= paths.size() || size_t{block.shard} + 1 < next) {
      return Fail(ErrorCode::kIndex,
                  StrCat("the index is damaged: a block of shard ", block.shard, " is out of order"));
    }
    OFINDEX_TRY(open_up_to(block.shard));
    return open->Add(block);
  };
  OFINDEX_TRY(catalog->With([&](CatalogReader& reader) { return reader.ForEachBlockByShard(add_block); }));
  OFINDEX_TRY(open_up_to(paths.size()));
  return paths;
}

Result<int> Export(const ExportArguments& arguments, const Context& context) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(arguments.index));
  OFINDEX_ASSIGN(const std::vector<fs::path> paths, ExportAll(*snapshot, arguments, context.progress));
  Output& out = Output::Standard();
  if (context.json) {
    Json files = Json::array();
    for (const fs::path& path : paths) files.push_back(JsonText(path.string()));
    OFINDEX_TRY(out.Line(
        Dump({{"schema", "ofindex.export/1"}, {"index", JsonText(snapshot->path())}, {"files", std::move(files)}})));
  } else if (!context.quiet) {
    for (const fs::path& path : paths) OFINDEX_TRY(out.Line(Printable(path.string())));
  }
  return 0;
}

}  // namespace

void AddExport(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "export", "Write the index in another tool's format", Formats::kJson);
  auto arguments = std::make_shared<ExportArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddOption("--to", arguments->to, "FORM",
                 "tfrecord2idx: a text index per shard, SHARD.idx, for DALI and vahidk/tfrecord")
      .Required()
      .OneOf({"tfrecord2idx"});
  verb.AddOption("-o,--output", arguments->folder, "DIR", "The folder to write to").Required().NotEmpty();
  verb.AddFlag("--force", arguments->force, "Replace existing text indexes; default: off");
  verb.Runs([arguments, &context] { return Export(*arguments, context); });
}

}  // namespace ofindex
