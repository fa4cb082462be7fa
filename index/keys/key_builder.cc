#include "index/keys/key_builder.h"

#include <cerrno>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/catalog/shared_catalog.h"
#include "index/keys/key_file.h"
#include "index/keys/key_paths.h"
#include "index/keys/key_values.h"
#include "index/keys/key_writer.h"
#include "mmap/record_reader.h"

namespace ofindex {
namespace {

// A file that is no key is left in place.
Result<void> CheckReplaceable(const std::string& path) {
  if (const auto facts = StatFile(path); !facts) {
    return facts.error().system == ENOENT ? Result<void>() : tl::unexpected(facts.error());
  }
  OFINDEX_ASSIGN(const bool is_key, IsKeyFile(path));
  if (is_key) return {};
  return Fail(ErrorCode::kUsage, StrCat(Printable(path), ": not a key; expected no file, or a key to replace"),
              "remove the file if it is not needed");
}

Result<KeyReport> Build(const std::shared_ptr<const IndexFile>& index, const std::shared_ptr<const OffsetMap>& map,
                        const KeyOptions& options, Progress& progress) {
  progress.records_done = 0;
  KeyReport report;
  report.path = KeyPathOf(index->place(), options.name);
  OFINDEX_TRY(CheckReplaceable(report.path));
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, SharedCatalog::Open(index));
  OFINDEX_ASSIGN(const IndexOrigin origin, OriginOf(index));
  const RecordReader reader = RecordReader::Open(map, FolderOf(index->path()), {.allow_bad = true}, index->anchor());
  OFINDEX_ASSIGN(KeyValues values, KeyValues::Open(catalog, reader, options.name));
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(report.path, options.if_locked, &progress));
  EntrySorter sorter(FolderOf(report.path), options.memory_bytes);
  const unsigned threads = options.threads != 0 ? options.threads : ProcessorCount();
  OFINDEX_ASSIGN(const KeyValues::Counts counts, values.Collect(sorter, threads, progress));
  KeyFacts facts = LayoutFor(catalog->facts().ordinals, sorter.size(), options.max_hash_bits);
  facts.name = options.name;
  facts.records = catalog->facts().records;
  facts.without = counts.without;
  facts.has_bytes = counts.has_bytes;
  facts.has_integers = counts.has_integers;
  OFINDEX_ASSIGN(OutputFile out, temporary.Open());
  OFINDEX_ASSIGN(KeyWriter writer, KeyWriter::Begin(std::move(out), std::move(facts)));
  OFINDEX_TRY(sorter.Merge([&](const KeyEntry& entry) { return writer.Add(entry); }, progress));
  OFINDEX_TRY(writer.Finish(KeyKind(index->path(), options.name), origin));
  if (progress.cancel) return Interrupted();
  if (index->Replaced()) return ReplacedIndex(index->path());
  OFINDEX_TRY(temporary.Publish(options.durability));
  report.facts = std::move(writer.facts());
  OFINDEX_ASSIGN(const FileFacts written, StatFile(report.path));
  report.bytes = written.size;
  return report;
}

}  // namespace

Result<KeyReport> BuildKey(const std::shared_ptr<const IndexFile>& index, const std::shared_ptr<const OffsetMap>& map,
                           const KeyOptions& options, Progress& progress) {
  return WithMemory("a key", [&] { return Build(index, map, options, progress); });
}

}  // namespace ofindex
