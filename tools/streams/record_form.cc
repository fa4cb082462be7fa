#include "tools/streams/record_form.h"

#include <optional>
#include <utility>

#include "index/writing/record_framing.h"
#include "tools/show/shown_record.h"
#include "tools/streams/payload_check.h"
#include "tools/streams/record_columns.h"

namespace ofindex {
namespace {

// Writes a payload. A lent one is copied in pieces; the other needs no copy.
Result<void> WritePayload(const LentRecord& record, RecordPieces& pieces, const WriteBytes& write) {
  if (!record.is_lent()) return write(record.payload());
  pieces.Begin(record);
  OFINDEX_TRY(pieces.Add(AsText(record.payload())));
  return pieces.Finish();
}

// Payloads in new frames, and with new checksums: so those that they had are compared first, unless the build did that.
class FramedForm : public RecordForm {
 public:
  FramedForm(Framing framing, const Dataset& dataset, std::shared_ptr<SharedCatalog> catalog, WriteBytes write)
      : framing_(framing),
        dataset_(dataset),
        catalog_(std::move(catalog)),
        write_(write),
        pieces_(std::move(write)),
        check_(dataset) {}

  Result<void> Take(uint64_t ordinal, const LentRecord& record) override {
    const ByteView payload = record.payload();
    if (catalog_->facts().checked != Checked::kPayloads) {
      const Result<void> sound = Check(ordinal, payload);
      OFINDEX_TRY(record.Check());  // a record that was changed meanwhile may look damaged
      OFINDEX_TRY(sound);
    }
    const RecordFraming around(framing_, payload);
    OFINDEX_TRY(record.Check());
    OFINDEX_TRY(write_(around.header()));
    OFINDEX_TRY(WritePayload(record, pieces_, write_));
    return write_(around.footer());
  }

 private:
  Result<void> Check(uint64_t ordinal, ByteView payload) {
    OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
    OFINDEX_ASSIGN(const uint32_t number, catalog_->ShardOfPiece(location.shard));
    const ShardRow& shard = catalog_->shards()[number];
    if (shard.framing != Framing::kTfRecord) return {};
    OFINDEX_ASSIGN(const bool holds, check_.Holds(location, payload));
    if (holds) return {};
    ShardRow shown = shard;
    OFINDEX_ASSIGN(shown.path, dataset_.reader().ShardPath(location.shard));
    return tl::unexpected(InRecord(ordinal, shown, location.offset, {ErrorCode::kDamage, std::string(kNoMatch)}));
  }

  const Framing framing_;
  const Dataset& dataset_;
  const std::shared_ptr<SharedCatalog> catalog_;
  const WriteBytes write_;
  RecordPieces pieces_;
  PayloadCheck check_;
};

// Payloads, or the values of features, one after the other.
class RawForm : public RecordForm {
 public:
  RawForm(const std::vector<std::string>& features, const Dataset& dataset, WriteBytes write)
      : features_(features), dataset_(dataset), write_(write), pieces_(std::move(write)) {}

  Result<void> Take(uint64_t ordinal, const LentRecord& record) override {
    if (features_.empty()) return WritePayload(record, pieces_, write_);
    OFINDEX_TRY(record_.Take(dataset_, ordinal, record));
    pieces_.Begin(record);
    for (const std::string& name : features_) OFINDEX_TRY(record_.AddFeature(name, pieces_));
    return pieces_.Finish();
  }

 private:
  const std::vector<std::string> features_;
  const Dataset& dataset_;
  const WriteBytes write_;
  RecordPieces pieces_;
  ShownRecord record_;
};

class JsonLinesForm : public RecordForm {
 public:
  JsonLinesForm(const std::vector<std::string>& features, const Dataset& dataset, WriteBytes write)
      : features_(features), dataset_(dataset), pieces_(std::move(write)) {}

  Result<void> Take(uint64_t ordinal, const LentRecord& record) override {
    OFINDEX_TRY(record_.Take(dataset_, ordinal, record));
    pieces_.Begin(record);
    OFINDEX_TRY(record_.AddJson(features_, pieces_));
    OFINDEX_TRY(pieces_.Add("\n"));
    return pieces_.Finish();
  }

 private:
  const std::vector<std::string> features_;
  const Dataset& dataset_;
  RecordPieces pieces_;
  ShownRecord record_;
};

}  // namespace

Result<std::unique_ptr<RecordForm>> MakeRecordForm(const FormRequest& request, const Dataset& dataset,
                                                   WriteBytes write) {
  if (request.form == "csv") return MakeCsvForm(request, dataset, std::move(write));
  if (request.form == "arrow") return MakeArrowForm(request, dataset, std::move(write));
  if (const std::optional<Framing> framing = ParseFraming(request.form)) {
    if (request.features.empty()) {
      OFINDEX_ASSIGN(std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
      return std::make_unique<FramedForm>(*framing, dataset, std::move(catalog), std::move(write));
    }
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
