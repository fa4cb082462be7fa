#include <utility>

#include "base/text.h"
#include "tools/shell/value_text.h"
#include "tools/show/shown_record.h"
#include "tools/streams/record_columns.h"
#include "tools/streams/record_form.h"

namespace ofindex {
namespace {

// One row for each record. A cell is a value, or a JSON array of several, or of the steps of a feature list.
class CsvForm : public RecordForm {
 public:
  CsvForm(std::vector<RecordColumn> columns, bool header, const Dataset& dataset, WriteBytes write)
      : columns_(std::move(columns)), header_(header), dataset_(dataset), write_(std::move(write)) {}

  Result<void> Begin() override {
    if (!header_) return {};
    std::string line = "_id";
    for (const RecordColumn& column : columns_) line += StrCat(",", CsvField(column.title));
    return write_(AsBytes(line + "\n"));
  }

  Result<void> Take(uint64_t ordinal, ByteView payload) override {
    OFINDEX_TRY(record_.Take(dataset_, ordinal, payload));
    std::string line = StrCat(ordinal);
    for (const RecordColumn& column : columns_) {
      line += ',';
      OFINDEX_TRY(AppendCell(column.feature, line));
    }
    return write_(AsBytes(line + "\n"));
  }

 private:
  Result<void> AppendCell(const std::string& name, std::string& line) {
    const DecodedRecord& decoded = record_.decoded();
    const Feature* feature = decoded.Find(AsBytes(name));
    if (feature != nullptr && feature->value.kind == FeatureKind::kBytes && feature->value.count == 1) {
      line += CsvOfValue({.type = ColumnValue::Type::kBlob, .bytes = decoded.bytes(feature->value).front()});
      return {};
    }
    const FeatureList* list = feature == nullptr ? record_.FindList(name) : nullptr;
    if (list == nullptr && (feature == nullptr || feature->value.count == 0)) return {};
    OFINDEX_TRY(record_.CheckJson(record_.payload().size()));
    const Json json = list != nullptr ? JsonFeatureList(decoded, *list) : JsonFeature(decoded, feature->value);
    const Json& values = json["values"];
    const bool single = list == nullptr && values.size() == 1;
    const Json& shown = single ? values[0] : values;
    line += CsvField(shown.is_string() ? shown.get<std::string>() : Dump(shown));
    return {};
  }

  const std::vector<RecordColumn> columns_;
  const bool header_;
  const Dataset& dataset_;
  const WriteBytes write_;
  ShownRecord record_;
};

}  // namespace

Result<std::unique_ptr<RecordForm>> MakeCsvForm(const FormRequest& request, const Dataset& dataset, WriteBytes write) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  OFINDEX_ASSIGN(std::vector<RecordColumn> columns, ColumnsOfRecords(*catalog, request.features));
  return std::make_unique<CsvForm>(std::move(columns), request.header, dataset, std::move(write));
}

}  // namespace ofindex
