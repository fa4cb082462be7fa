#include "tools/packing/pack_source.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/finding/missing_paths.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/orders/sample_key.h"
#include "tools/packing/line_reader.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<SourceForm, RowFormat> kRowForms[] = {
    {SourceForm::kJsonLines, RowFormat::kJsonLines},
    {SourceForm::kCsv, RowFormat::kCsv},
    {SourceForm::kTsv, RowFormat::kTsv},
};

SourceForm FormOf(RowFormat format) {
  for (const auto& [form, of_rows] : kRowForms) {
    if (of_rows == format) return form;
  }
  return SourceForm::kFiles;
}

// Returns the form that a source's name implies.
Result<SourceForm> FormOf(const std::string& source) {
  if (source == kStandardInput) {
    return Fail(ErrorCode::kUsage, "standard input: its form cannot be told from a name",
                "give the form with --from jsonl, csv or tsv");
  }
  std::error_code error;
  if (fs::is_directory(source, error)) return SourceForm::kFiles;
  if (const std::optional<RowFormat> format = RowFormatOf(source)) return FormOf(*format);
  const std::string suffix = Folded(fs::path(source).extension().string());
  if (suffix == ".parquet" || suffix == ".avro") {
    return Fail(ErrorCode::kUsage, StrCat(Printable(source), ": is packed by the Python package"),
                StrCat("python3 -c 'import ofindex; ofindex.pack(", PythonLiteral(source),
                       ", \"OUT\", to=\"tfrecord\")', or use --from files to store the whole file in a record"));
  }
  return SourceForm::kFiles;
}

}  // namespace

std::function<uint64_t(uint64_t)> OrderOf(uint64_t records, std::optional<uint64_t> seed) {
  if (!seed) return [](uint64_t i) { return i; };
  const Permutation order(records, SampleKey(*seed, 0, SampleUse::kShuffle));
  return [order](uint64_t i) { return order.At(i); };
}

Result<std::unique_ptr<PackSource>> OpenPackSource(const PackRequest& request, Progress& progress) {
  if (std::count(request.sources.begin(), request.sources.end(), kStandardInput) > 1) {
    return Fail(ErrorCode::kUsage, "standard input: named more than once", "name each source once");
  }
  for (const std::string& source : request.sources) {
    if (source == kStandardInput) {
      if (request.form != SourceForm::kFiles) continue;
      return Fail(ErrorCode::kUsage, "standard input: expected rows, not files",
                  "give the form with --from jsonl, csv or tsv");
    }
    const auto facts = StatFile(source);
    if (!facts && facts.error().system == ENOENT) return tl::unexpected(NoSuchPath(source));
  }
  std::optional<SourceForm> form = request.form;
  if (!form) {
    for (const std::string& source : request.sources) {
      OFINDEX_ASSIGN(const SourceForm one, FormOf(source));
      if (form.value_or(one) != one) {
        return Fail(ErrorCode::kUsage, StrCat(Printable(source), ": has another form than the earlier sources"),
                    "give the form with --from");
      }
      form = one;
    }
  }
  for (const auto& [of_rows, format] : kRowForms) {
    if (of_rows == *form) return OpenRowSource(request, format, progress);
  }
  return OpenFileSource(request, progress);
}

}  // namespace ofindex
