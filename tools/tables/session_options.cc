#include "tools/tables/session_options.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "query/sql/open_session.h"
#include "tools/options/attachments.h"
#include "tools/shell/messages.h"
#include "tools/tables/table_file.h"

namespace ofindex {
namespace {

/// NAME=PATH, divided.
struct NamedPath {
  std::string name;
  std::string path;

  static Result<std::vector<NamedPath>> ParseAll(const std::vector<std::string>& texts, const Hint& hint) {
    std::vector<NamedPath> all;
    for (const std::string& text : texts) {
      OFINDEX_ASSIGN(NamedPath one, Parse(text, hint));
      all.push_back(std::move(one));
    }
    return all;
  }

  static Result<NamedPath> Parse(const std::string& text, const Hint& hint) {
    const size_t equals = text.find('=');
    if (equals != std::string::npos && equals > 0 && equals + 1 < text.size()) {
      return NamedPath{text.substr(0, equals), text.substr(equals + 1)};
    }
    return Fail(ErrorCode::kUsage, StrCat("'", Printable(text), "': expected a name, = and a path"), hint);
  }
};

// Bytes that are not text are a blob, as in `records`.
SqlValue ValueOfCell(const SourceValue& cell) {
  const auto bytes = [&](ColumnValue::Type type) { return SqlValue{.type = type, .bytes = AsBytes(cell.text)}; };
  switch (cell.type) {
    case SourceValue::Type::kNull: return {};
    case SourceValue::Type::kBoolean:
    case SourceValue::Type::kInteger: return {.type = ColumnValue::Type::kInteger, .integer = cell.integer};
    case SourceValue::Type::kReal: return {.type = ColumnValue::Type::kReal, .real = cell.real};
    case SourceValue::Type::kText:
      return bytes(IsText(AsBytes(cell.text)) ? ColumnValue::Type::kText : ColumnValue::Type::kBlob);
    case SourceValue::Type::kBytes: return bytes(ColumnValue::Type::kBlob);
  }
  return {};
}

// Standard input can be read once.
Result<void> CheckTableInputs(const std::vector<NamedPath>& files) {
  const auto inputs =
      std::count_if(files.begin(), files.end(), [](const NamedPath& file) { return file.path == kStandardInput; });
  if (inputs < 2) return {};
  return Fail(ErrorCode::kUsage, "--table: standard input is more than one table", "write one of them to a file");
}

Result<MemoryTable> TableOf(const NamedPath& named, const std::string& format, Context& context) {
  OFINDEX_ASSIGN(TableFile read, TableFile::Open(named.path, TableFormatNamed(format), context.progress));
  const auto file = std::make_shared<TableFile>(std::move(read));
  PrintNotes(file->Notes(Printable(named.name)), context);
  MemoryTable table{.name = named.name, .columns = {}, .for_each_row = {}};
  for (const TableFile::Column& column : file->columns()) table.columns.push_back({column.name, column.type});
  table.for_each_row = [file](const MemoryTable::TakeRow& take) {
    std::vector<SqlValue> row(file->columns().size());
    return file->ForEachRow([&](std::span<const SourceValue> cells) -> Result<void> {
      for (size_t i = 0; i < cells.size(); ++i) row[i] = ValueOfCell(cells[i]);
      return take(row);
    });
  };
  return table;
}

Result<void> AddOpened(std::string name, const std::string& path, SnapshotOptions options, SessionParts& parts) {
  OFINDEX_ASSIGN(std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(path, std::move(options)));
  parts.indexes.push_back({std::move(name), std::move(snapshot)});
  return {};
}

}  // namespace

bool SessionOptions::reads_standard_input() const {
  return std::any_of(tables.begin(), tables.end(), [](const std::string& text) {
    const size_t equals = text.find('=');
    return equals != std::string::npos && text.substr(equals + 1) == kStandardInput;
  });
}

void AddSessionOptions(Verb& verb, SessionOptions& options) {
  verb.AddOption("--index", options.indexes, "NAME=INDEX",
                 "Another index: its tables are NAME.records, NAME.shards and so on; INDEX may be left out then");
  verb.AddOption("--table", options.tables, "NAME=FILE",
                 "A CSV, TSV or JSON lines file as table NAME, in memory; types as pack infers them; - is standard "
                 "input");
  verb.AddOption("--table-format", options.table_format, "FORMAT",
                 "csv, tsv or jsonl: the format of --table files without a known suffix; standard input: detected from "
                 "its first line")
      .OneOf({"csv", "tsv", "jsonl"})
      .Needs("--table");
}

Result<SqlSession> OpenSession(const std::string& index, const SessionOptions& options, uint64_t memory_bytes,
                               Context& context) {
  OFINDEX_ASSIGN(const std::vector<NamedPath> indexes,
                 NamedPath::ParseAll(options.indexes, "for example --index val=data/val"));
  OFINDEX_ASSIGN(const std::vector<NamedPath> files,
                 NamedPath::ParseAll(options.tables, "for example --table scores=scores.csv"));
  OFINDEX_TRY(CheckTableInputs(files));
  SessionParts parts{.indexes = {}, .memory_bytes = memory_bytes};
  if (!index.empty()) OFINDEX_TRY(AddOpened("", index, OpeningOptions(context), parts));
  for (const NamedPath& each : indexes) {
    OFINDEX_TRY(AddOpened(each.name, each.path, {.progress = &context.progress}, parts));
  }
  for (const NamedPath& each : files) {
    OFINDEX_ASSIGN(MemoryTable table, TableOf(each, options.table_format, context));
    parts.tables.push_back(std::move(table));
  }
  return OpenSession(parts);
}

}  // namespace ofindex
