#include "library/convert.h"

#include <variant>

#include "base/text.h"
#include "proto/features.h"

namespace ofindex::v1 {
namespace {

template <typename One, typename Other>
constexpr bool Equal(One one, Other other) {
  return static_cast<int>(one) == static_cast<int>(other);
}

static_assert(Equal(Framing::kEmpty, ofindex::Framing::kEmpty));
static_assert(Equal(Framing::kTfRecord, ofindex::Framing::kTfRecord));
static_assert(Equal(Framing::kOfRecord, ofindex::Framing::kOfRecord));
static_assert(Equal(Compression::kNone, ofindex::Compression::kNone));
static_assert(Equal(Compression::kGzip, ofindex::Compression::kGzip));
static_assert(Equal(Compression::kZlib, ofindex::Compression::kZlib));
static_assert(Equal(Compression::kDeflate, ofindex::Compression::kDeflate));
static_assert(Equal(PayloadKind::kOpaque, ofindex::PayloadKind::kOpaque));
static_assert(Equal(PayloadKind::kExample, ofindex::PayloadKind::kExample));
static_assert(Equal(PayloadKind::kSequenceExample, ofindex::PayloadKind::kSequenceExample));
static_assert(Equal(PayloadKind::kOfRecord, ofindex::PayloadKind::kOfRecord));
static_assert(Equal(FeatureKind::kNone, ofindex::FeatureKind::kNone));
static_assert(Equal(FeatureKind::kBytes, ofindex::FeatureKind::kBytes));
static_assert(Equal(FeatureKind::kFloat, ofindex::FeatureKind::kFloat));
static_assert(Equal(FeatureKind::kDouble, ofindex::FeatureKind::kDouble));
static_assert(Equal(FeatureKind::kInt32, ofindex::FeatureKind::kInt32));
static_assert(Equal(FeatureKind::kInt64, ofindex::FeatureKind::kInt64));

ErrorCode Public(ofindex::ErrorCode code) {
  switch (code) {
    case ofindex::ErrorCode::kUsage: return ErrorCode::kUsage;
    case ofindex::ErrorCode::kOutOfRange: return ErrorCode::kOutOfRange;
    case ofindex::ErrorCode::kDamage: return ErrorCode::kDamage;
    case ofindex::ErrorCode::kFormat: return ErrorCode::kFormat;
    case ofindex::ErrorCode::kFeature: return ErrorCode::kFeature;
    case ofindex::ErrorCode::kNotFound: return ErrorCode::kNotFound;
    case ofindex::ErrorCode::kIndex: return ErrorCode::kIndex;
    case ofindex::ErrorCode::kStale: return ErrorCode::kStale;
    case ofindex::ErrorCode::kIo: return ErrorCode::kIo;
    case ofindex::ErrorCode::kLocked: return ErrorCode::kLocked;
    case ofindex::ErrorCode::kLimit: return ErrorCode::kLimit;
    case ofindex::ErrorCode::kInterrupted: return ErrorCode::kInterrupted;
  }
  return ErrorCode::kIo;
}

std::vector<FeatureKind> KindsOf(uint8_t kinds) {
  std::vector<FeatureKind> found;
  for (uint8_t kind = 0; kind <= static_cast<uint8_t>(FeatureKind::kInt64); ++kind) {
    if ((kinds >> kind & 1) != 0) found.push_back(static_cast<FeatureKind>(kind));
  }
  return found;
}

FeatureInfo Public(const FeatureRow& row) {
  FeatureInfo info{.name = row.name,
                   .kinds = KindsOf(row.kinds),
                   .records = row.present,
                   .values = row.values,
                   .values_min = row.values_min,
                   .values_max = row.values_max,
                   .columns = ColumnNamesOf(row),
                   .type = MainType(row)};
  if (info.type.empty() && !row.derived.empty()) info.type = TypeOfFacts(row.derived.front().role);
  return info;
}

ColumnValue Engine(const SqlValue& value) {
  struct Visitor {
    ColumnValue operator()(std::monostate) const { return {}; }
    ColumnValue operator()(int64_t integer) const {
      return {.type = ColumnValue::Type::kInteger, .integer = integer, .real = 0, .bytes = {}};
    }
    ColumnValue operator()(double real) const {
      return {.type = ColumnValue::Type::kReal, .integer = 0, .real = real, .bytes = {}};
    }
    ColumnValue operator()(const std::string& text) const {
      return {.type = ColumnValue::Type::kText, .integer = 0, .real = 0, .bytes = text};
    }
    ColumnValue operator()(const std::vector<uint8_t>& blob) const {
      return {.type = ColumnValue::Type::kBlob, .integer = 0, .real = 0, .bytes = {blob.begin(), blob.end()}};
    }
  };
  return std::visit(Visitor(), value);
}

}  // namespace

std::string_view Name(Framing framing) { return Name(Engine(framing)); }
std::string_view Name(Compression compression) { return Name(Engine(compression)); }
std::string_view Name(PayloadKind kind) { return Name(Engine(kind)); }
std::string_view Name(FeatureKind kind) { return Name(static_cast<ofindex::FeatureKind>(kind)); }

Error Public(ofindex::Error error) {
  return {.code = Public(error.code),
          .message = std::move(error.message),
          .hint = error.hint.text(),
          .system_error = error.system};
}

tl::unexpected<Error> Misuse(std::string message) {
  return tl::unexpected(Error{.code = ErrorCode::kUsage, .message = std::move(message)});
}

ofindex::Result<InflateOptions> InflateOf(uint64_t max_ratio, uint64_t max_inflated_bytes) {
  if (max_ratio < 1 || max_ratio > 2000 || max_inflated_bytes < 1 || max_inflated_bytes > uint64_t{1} << 62) {
    return Fail(ofindex::ErrorCode::kUsage,
                "limits of inflated sizes: expected 1 to 2000 bytes per byte of a file, and 1 to 2^62 bytes in total");
  }
  return InflateOptions{.max_ratio = max_ratio, .max_bytes = max_inflated_bytes};
}

std::vector<Shard> Public(const std::vector<ShardRow>& shards) {
  std::vector<Shard> found;
  found.reserve(shards.size());
  for (const ShardRow& row : shards) {
    found.push_back({.path = row.path,
                     .framing = static_cast<Framing>(row.framing),
                     .compression = static_cast<Compression>(row.compression),
                     .payload = static_cast<PayloadKind>(row.payload),
                     .first_record = row.first_record,
                     .records = row.records,
                     .bytes = row.identity.size,
                     .payload_bytes = row.payload_bytes});
  }
  return found;
}

std::vector<GoneShard> PublicGone(const std::vector<ShardRow>& gone) {
  std::vector<GoneShard> found;
  found.reserve(gone.size());
  for (const ShardRow& row : gone) found.push_back({.path = row.path, .records = row.records, .since = row.gone});
  return found;
}

std::vector<FeatureInfo> Public(const std::vector<FeatureRow>& features) {
  std::vector<FeatureInfo> found;
  for (const FeatureRow& row : FeaturesByName(features)) found.push_back(Public(row));
  return found;
}

std::vector<BadRecord> Public(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards) {
  std::vector<BadRecord> found;
  for (const BadRow& row : bad) {
    found.push_back({.record = row.record,
                     .shard = shards[row.shard].path,
                     .offset = row.offset,
                     .reason = std::string(Name(row.reason))});
  }
  return found;
}

std::vector<Damage> Public(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards) {
  std::vector<Damage> found;
  for (const DamageRow& row : damage) {
    found.push_back({.shard = shards[row.shard].path,
                     .begin = row.range.begin,
                     .end = row.range.end,
                     .reason = std::string(Name(row.range.reason))});
  }
  return found;
}

std::vector<FileNote> Public(const std::vector<SkippedFile>& files) {
  std::vector<FileNote> found;
  for (const SkippedFile& file : files) found.push_back({.path = file.path, .reason = file.reason});
  return found;
}

DatasetInfo Public(const CatalogRows& rows) {
  return {.index = rows.index,
          .id = ToHex(rows.facts.id),
          .records = rows.facts.records,
          .ordinals = rows.facts.ordinals,
          .payload_bytes = rows.facts.payload_bytes,
          .data_bytes = rows.facts.data_bytes,
          .payloads_checked = rows.facts.checked == Checked::kPayloads,
          .shards = Public(rows.shards),
          .gone = PublicGone(rows.gone),
          .features = Public(rows.features),
          .bad = Public(rows.bad, rows.shards),
          .damage = Public(rows.damage, rows.shards),
          .skipped = Public(rows.skipped)};
}

FeatureValues Public(const FeatureData& values) {
  switch (values.kind()) {
    case ofindex::FeatureKind::kNone: return {};
    case ofindex::FeatureKind::kBytes: return FeatureValues::Bytes(values.bytes());
    case ofindex::FeatureKind::kFloat: return FeatureValues::Floats(values.floats());
    case ofindex::FeatureKind::kDouble: return FeatureValues::Doubles(values.doubles());
    case ofindex::FeatureKind::kInt32: return FeatureValues::Int32s(values.integers());
    case ofindex::FeatureKind::kInt64: return FeatureValues::Int64s(values.integers());
  }
  return {};
}

FeatureData Engine(const FeatureValues& values) {
  switch (values.kind()) {
    case FeatureKind::kNone: return {};
    case FeatureKind::kBytes: return FeatureData::Bytes(values.bytes());
    case FeatureKind::kFloat: return FeatureData::Floats(values.floats());
    case FeatureKind::kDouble: return FeatureData::Doubles(values.doubles());
    case FeatureKind::kInt32: return FeatureData::Int32s(values.integers());
    case FeatureKind::kInt64: return FeatureData::Int64s(values.integers());
  }
  return {};
}

SqlValue Public(const ofindex::SqlValue& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return std::monostate();
    case ColumnValue::Type::kInteger: return value.integer;
    case ColumnValue::Type::kReal: return value.real;
    case ColumnValue::Type::kText: return std::string(AsText(value.bytes));
    case ColumnValue::Type::kBlob: return std::vector<uint8_t>(value.bytes.begin(), value.bytes.end());
  }
  return std::monostate();
}

std::vector<ofindex::SqlParameter> Engine(const std::vector<SqlParameter>& parameters) {
  std::vector<ofindex::SqlParameter> found;
  for (const SqlParameter& parameter : parameters) {
    found.push_back({.name = parameter.name, .value = Engine(parameter.value)});
  }
  return found;
}

SqlLimits Engine(const QueryLimits& limits) {
  return {.timeout = limits.timeout, .rows = limits.rows, .memory_bytes = limits.memory_bytes, .cancel = limits.cancel};
}

}  // namespace ofindex::v1
