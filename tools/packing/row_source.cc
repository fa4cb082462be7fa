#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "proto/wire/wire.h"
#include "tools/packing/pack_source.h"
#include "tools/packing/row_builder.h"
#include "tools/packing/row_files.h"
#include "tools/packing/schema_inference.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxSchemaBytes = uint64_t{16} << 20;

Result<PackSchema> ReadSchema(const std::string& path) {
  if (path.starts_with('{') && !StatFile(path)) {
    return Fail(ErrorCode::kUsage, StrCat("--schema: expected the name of a JSON file, got '", Printable(path), "'"),
                "write the JSON into a file, and name that");
  }
  OFINDEX_ASSIGN(const File file, File::OpenRead(path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  if (facts.size > kMaxSchemaBytes) {
    return Fail(ErrorCode::kFormat,
                StrCat(Printable(path), ": a schema of ", FormatCount(facts.size), " bytes; expected at most ",
                       FormatCount(kMaxSchemaBytes)),
                "name the schema with --schema, not the data");
  }
  std::string text(facts.size, '\0');
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, std::span(reinterpret_cast<uint8_t*>(text.data()), text.size())));
  text.resize(got);
  auto schema = PackSchema::Parse(text);
  if (schema) return schema;
  Error error = std::move(schema).error();
  error.message = StrCat(Printable(path), ": ", error.message);
  return tl::unexpected(std::move(error));
}

class RowSource : public PackSource {
 public:
  RowSource(RowFiles rows, const PackRequest& request) : rows_(std::move(rows)), request_(request) {}

  // The first pass counts the rows and infers their types; for a shuffle it also records the place of each row.
  Result<void> Scan(RowFormat format, Progress& progress) {
    progress.bytes_total = 2 * rows_.bytes();
    const auto note = [this](RowPlace place) -> Result<void> {
      ++records_;
      if (request_.seed) places_.push_back(place);
      return {};
    };
    if (!request_.schema.empty()) {
      OFINDEX_ASSIGN(schema_, ReadSchema(request_.schema));
      return rows_.ForEachPlace(note);
    }
    SchemaInference inference(format == RowFormat::kJsonLines ? SchemaInference::Text::kIsText
                                                              : SchemaInference::Text::kMayBeNumber);
    OFINDEX_TRY(rows_.ForEach(inference, note));
    schema_ = inference.Schema();
    return {};
  }

  [[nodiscard]] uint64_t records() const override { return records_; }

  [[nodiscard]] std::vector<PackedFeature> features() const override {
    std::vector<PackedFeature> features;
    for (const PackFeature& one : schema_.features) {
      if (!one.type) continue;
      const bool steps = one.steps && request_.payload == PayloadKind::kSequenceExample;
      features.push_back({steps ? one.name + "[]" : one.name, KindOf(*one.type, request_.payload)});
    }
    return features;
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> paths = request_.sources;
    std::erase(paths, kStandardInput);
    return paths;
  }

  Result<void> ForEach(const TakePayload& take) override {
    RowBuilder builder(schema_, request_.payload, request_.unit);
    uint64_t taken = 0;
    const auto take_row = [&](RowPlace) -> Result<void> {
      if (taken++ == records_) return Changes();
      OFINDEX_ASSIGN(const ByteView payload, builder.Finish());
      if (payload.empty()) {
        return Fail(ErrorCode::kFeature, "a row without values, which OFRecord cannot store",
                    "give it a value, or write TFRecords");
      }
      OFINDEX_TRY(take(payload));
      builder.Clear();
      return {};
    };
    OFINDEX_TRY(ForEachRow(builder, take_row));
    OFINDEX_TRY(rows_.CheckUnchanged());
    return taken == records_ ? Result<void>() : Changes();
  }

 private:
  Result<void> ForEachRow(RowBuilder& builder, const RowFiles::TakeRow& take) {
    if (!request_.seed) return rows_.ForEach(builder, take);
    const auto order = OrderOf(records_, request_.seed);
    for (uint64_t i = 0; i < records_; ++i) OFINDEX_TRY(rows_.At(places_[order(i)], builder, take));
    return {};
  }

  Result<void> Changes() const {
    OFINDEX_TRY(rows_.CheckUnchanged());
    return Fail(ErrorCode::kIo, StrCat(Printable(request_.sources.front()), ": changed while it was read"),
                "pack it when no other process writes to it");
  }

  RowFiles rows_;
  PackRequest request_;
  PackSchema schema_;
  uint64_t records_ = 0;
  std::vector<RowPlace> places_;  // for a shuffle: 16 bytes per row
};

}  // namespace

Result<std::unique_ptr<PackSource>> OpenRowSource(const PackRequest& request, RowFormat format, Progress& progress) {
  OFINDEX_ASSIGN(RowFiles rows, RowFiles::Open(request.sources, format, progress));
  auto source = std::make_unique<RowSource>(std::move(rows), request);
  OFINDEX_TRY(source->Scan(format, progress));
  return source;
}

}  // namespace ofindex
