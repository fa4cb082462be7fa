#include "tools/serve/records/record_documents.h"

#include "base/text.h"
#include "query/columns/column_affinity.h"
#include "tools/serve/requests/answers.h"

namespace ofindex {
namespace {

constexpr size_t kMaxCellCharacters = 2000;

}  // namespace

Json RecordDocuments::Of(uint64_t ordinal) {
  Json document = {
      {"ordinal", JsonCount(ordinal)}, {"bytes", nullptr},          {"shard", nullptr}, {"offset", nullptr},
      {"columns", Json::object()},     {"features", Json::array()}, {"error", nullptr}};
  Result<void> read = AddPlace(ordinal, document);
  if (read) {
    document["columns"] = Columns(ordinal);
    read = AddFeatures(ordinal, document);
  }
  if (!read) document["error"] = JsonText(read.error().message);
  return document;
}

Result<void> RecordDocuments::AddPlace(uint64_t ordinal, Json& document) {
  OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
  OFINDEX_ASSIGN(const MapShard shard, dataset_.reader().map().Shard(location.shard));
  const uint32_t number = location.shard < shard_numbers_.size() ? shard_numbers_[location.shard] : location.shard;
  document["bytes"] = JsonCount(location.length);
  document["shard"] = {{"number", number}, {"path", JsonText(shard.path)}};
  document["offset"] = JsonCount(location.offset);
  return {};
}

Json RecordDocuments::Columns(uint64_t ordinal) {
  Json cells = Json::object();
  const std::optional<uint64_t> block = store_.BlockOf(ordinal);
  if (!block) return cells;
  const auto record = static_cast<uint32_t>(ordinal - store_.blocks()[*block].first_record);
  for (const Column& column : parts_.columns) {
    const std::string name = JsonText(column.name).get<std::string>();
    const Result<std::shared_ptr<const Chunk>> chunk = store_.Load(column, *block);
    if (!chunk || (*chunk)->form() == Chunk::Form::kLists) continue;
    Chunk::Value value = (*chunk)->At(record);
    if (DeclaredType(store_, column) == kFloatType) value.real = AsFloat(value.real);
    if (!allowance_.Take(name.size() + value.bytes.size())) value = {};
    cells[name] = JsonCell(value, kMaxCellCharacters);
  }
  return cells;
}

Result<void> RecordDocuments::AddFeatures(uint64_t ordinal, Json& document) {
  if (parts_.features && parts_.features->empty()) return {};
  OFINDEX_ASSIGN(const PayloadKind kind, RecordPayload::KindOf(dataset_, ordinal));
  OFINDEX_TRY(kind == PayloadKind::kOpaque ? payload_.ReadBytes(dataset_, ordinal) : payload_.Read(dataset_, ordinal));
  OFINDEX_TRY(payload_.Decode());
  if (payload_.kind() == PayloadKind::kOpaque) {
    document["features"].push_back(OpaqueFeature(payload_.bytes(), allowance_));
  } else {
    document["features"] = FeaturesOf(payload_.decoded(), payload_.kind(), parts_.features, parts_.step, allowance_);
  }
  return {};
}

}  // namespace ofindex
