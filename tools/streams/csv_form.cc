#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "proto/feature_slices.h"
#include "query/columns/base64.h"
#include "tools/shell/value_text.h"
#include "tools/show/pieces/record_json.h"
#include "tools/show/shown_record.h"
#include "tools/streams/record_columns.h"
#include "tools/streams/record_form.h"

namespace ofindex {
namespace {

constexpr size_t kLongCell = size_t{64} << 10;  // bytes of a cell that is written in parts

// One row for each record. A cell is a value, or a JSON array of several, or of the steps of a feature list.
class CsvForm : public RecordForm {
 public:
  CsvForm(std::vector<RecordColumn> columns, bool header, const Dataset& dataset, WriteBytes write)
      : columns_(std::move(columns)), header_(header), dataset_(dataset), write_(write), pieces_(std::move(write)) {}

  Result<void> Begin() override {
    if (!header_) return {};
    std::string line = "_id";
    for (const RecordColumn& column : columns_) line += StrCat(",", CsvField(column.title));
    return write_(AsBytes(line + "\n"));
  }

  Result<void> Take(uint64_t ordinal, const LentRecord& record) override {
    OFINDEX_TRY(record_.Take(dataset_, ordinal, record));
    for (const RecordColumn& column : columns_) OFINDEX_TRY(CheckCell(column.feature));
    pieces_.Begin(record);
    OFINDEX_TRY(pieces_.Add(StrCat(ordinal)));
    for (const RecordColumn& column : columns_) {
      OFINDEX_TRY(pieces_.Add(","));
      OFINDEX_TRY(AddCell(column.feature));
    }
    OFINDEX_TRY(pieces_.Add("\n"));
    return pieces_.Finish();
  }

 private:
  // A single value is written in pieces, whatever its size.
  [[nodiscard]] Result<void> CheckCell(const std::string& name) const {
    const Feature* const feature = record_.decoded().Find(AsBytes(name));
    return feature != nullptr && feature->value.count == 1 ? Result<void>() : record_.CheckJson({name});
  }

  Result<void> AddCell(const std::string& name) {
    const DecodedRecord& decoded = record_.decoded();
    const Feature* feature = decoded.Find(AsBytes(name));
    const FeatureList* list = feature == nullptr ? record_.FindList(name) : nullptr;
    if (list != nullptr) {
      return AddArray([&](const TextSink& add) { return AddJsonSteps(decoded, *list, add); });
    }
    if (feature == nullptr || feature->value.count == 0) return {};
    if (feature->value.count == 1) return AddValue(feature->value);
    return AddArray([&](const TextSink& add) { return AddJsonValues(decoded, feature->value, add); });
  }

  // Adds the only value of a feature.
  Result<void> AddValue(FeatureValue value) {
    FeatureSlices slices(record_.decoded(), value);
    FeatureData slice;
    if (!slices.Next(&slice)) return {};
    switch (value.kind) {
      case FeatureKind::kNone: return {};
      case FeatureKind::kBytes: return AddBytes(slice.bytes().front());
      case FeatureKind::kFloat: return pieces_.Add(RealText(AsFloat(double{slice.floats().front()})));
      case FeatureKind::kDouble: return pieces_.Add(RealText(slice.doubles().front()));
      case FeatureKind::kInt32:
      case FeatureKind::kInt64: return pieces_.Add(StrCat(slice.integers().front()));
    }
    return {};
  }

  // Long bytes are written as CsvOfValue() writes them, but in parts.
  Result<void> AddBytes(ByteView bytes) {
    if (bytes.size() <= kLongCell) {
      return pieces_.Add(CsvOfValue({.type = ColumnValue::Type::kBlob, .bytes = bytes}));
    }
    const std::string_view text = AsText(bytes);
    if (!IsUtf8(text)) return AddBase64(bytes);
    const std::string_view quote = text.find_first_of(",\"\r\n") == std::string_view::npos ? "" : "\"";
    OFINDEX_TRY(pieces_.Add(quote));
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.size(), at + kLongCell);
      while (end < text.size() && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) ++end;  // inside a character
      OFINDEX_TRY(pieces_.Add(CsvPart(text.substr(at, end - at))));
      at = end;
    }
    return pieces_.Add(quote);
  }

  Result<void> AddBase64(ByteView bytes) {
    constexpr size_t kPart = kLongCell / 3 * 3;  // encoded without padding
    OFINDEX_TRY(pieces_.Add(R"("{""base64"":"")"));
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kPart))) {
      std::string part;
      AppendBase64(bytes.first(std::min(bytes.size(), kPart)), part);
      OFINDEX_TRY(pieces_.Add(part));
    }
    return pieces_.Add(R"(""}")");
  }

  // Adds a cell with the JSON array that `write` writes. A short one is quoted if it must be, which is known at its
  // end; a long one has a comma or a quote anyway.
  template <typename Write>
  Result<void> AddArray(const Write& write) {
    std::string short_text;
    bool is_long = false;
    const TextSink add = [&](std::string_view text) -> Result<void> {
      if (is_long) return pieces_.Add(CsvPart(text));
      short_text += text;
      if (short_text.size() < kLongCell) return {};
      is_long = true;
      OFINDEX_TRY(pieces_.Add("\""));
      return pieces_.Add(CsvPart(short_text));
    };
    OFINDEX_TRY(write(add));
    return pieces_.Add(is_long ? "\"" : CsvField(short_text));
  }

  const std::vector<RecordColumn> columns_;
  const bool header_;
  const Dataset& dataset_;
  const WriteBytes write_;
  RecordPieces pieces_;
  ShownRecord record_;
};

}  // namespace

Result<std::unique_ptr<RecordForm>> MakeCsvForm(const FormRequest& request, const Dataset& dataset, WriteBytes write) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  OFINDEX_ASSIGN(std::vector<RecordColumn> columns, ColumnsOfRecords(*catalog, request.features));
  return std::make_unique<CsvForm>(std::move(columns), request.header, dataset, std::move(write));
}

}  // namespace ofindex
