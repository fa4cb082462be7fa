#include "tools/streams/record_form.h"

#include <optional>
#include <utility>

#include "index/writing/record_framing.h"
#include "tools/show/shown_record.h"
#include "tools/streams/record_columns.h"

namespace ofindex {
namespace {

// Payloads in new frames.
class FramedForm : public RecordForm {
 public:
  FramedForm(Framing framing, WriteBytes write) : framing_(framing), write_(std::move(write)) {}

  Result<void> Take(uint64_t, ByteView payload) override {
    const RecordFraming around(framing_, payload);
    OFINDEX_TRY(write_(around.header()));
    OFINDEX_TRY(write_(payload));
    return write_(around.footer());
  }

 private:
  const Framing framing_;
  const WriteBytes write_;
};

// Payloads, or the values of features, one after the other.
class RawForm : public RecordForm {
 public:
  RawForm(const std::vector<std::string>& features, const Dataset& dataset, WriteBytes write)
      : features_(features), dataset_(dataset), write_(std::move(write)) {}

  Result<void> Take(uint64_t ordinal, ByteView payload) override {
    if (features_.empty()) return write_(payload);
    OFINDEX_TRY(record_.Take(dataset_, ordinal, payload));
    for (const std::string& name : features_) OFINDEX_TRY(write_(record_.FeatureBytes(name)));
    return {};
  }

 private:
  const std::vector<std::string> features_;
  const Dataset& dataset_;
  const WriteBytes write_;
  ShownRecord record_;
};

class JsonLinesForm : public RecordForm {
 public:
  JsonLinesForm(const std::vector<std::string>& features, const Dataset& dataset, WriteBytes write)
      : features_(features), dataset_(dataset), write_(std::move(write)) {}

  Result<void> Take(uint64_t ordinal, ByteView payload) override {
    OFINDEX_TRY(record_.Take(dataset_, ordinal, payload));
    OFINDEX_ASSIGN(const Json json, record_.ToJson(features_));
    return write_(AsBytes(Dump(json) + "\n"));
  }

 private:
  const std::vector<std::string> features_;
  const Dataset& dataset_;
  const WriteBytes write_;
  ShownRecord record_;
};

}  // namespace

Result<std::unique_ptr<RecordForm>> MakeRecordForm(const FormRequest& request, const Dataset& dataset,
                                                   WriteBytes write) {
  if (request.form == "csv") return MakeCsvForm(request, dataset, std::move(write));
  if (request.form == "arrow") return MakeArrowForm(request, dataset, std::move(write));
  if (const std::optional<Framing> framing = ParseFraming(request.form)) {
    if (request.features.empty()) return std::make_unique<FramedForm>(*framing, std::move(write));
    return Fail(ErrorCode::kUsage, StrCat("--feature: ", request.form, " has whole payloads, unchanged"),
                "leave out --feature, or write the features with --to jsonl, csv, arrow or raw");
  }
  if (!request.features.empty()) {
    OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
    OFINDEX_TRY(CheckFeatures(*catalog, request.features));
  }
  if (request.form == "raw") return std::make_unique<RawForm>(request.features, dataset, std::move(write));
  return std::make_unique<JsonLinesForm>(request.features, dataset, std::move(write));
}

}  // namespace ofindex
