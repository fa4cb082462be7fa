#include "tests/index/update/index_contents.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <sstream>
#include <utility>

#include "base/bytes.h"
#include "base/text.h"
#include "index/catalog/shared_catalog.h"
#include "index/columns/column_choice.h"
#include "mmap/offsets/packed_offsets.h"
#include "mmap/record_reader.h"
#include "query/columns/snapshot.h"

namespace ofindex {
namespace {

template <typename Value>
Value Must(Result<Value> result) {
  REQUIRE_MESSAGE(result.has_value(), result.error().message);
  return std::move(*result);
}

void Must(const Result<void>& result) { REQUIRE_MESSAGE(result.has_value(), result.error().message); }

std::string TextOf(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::string RealText(double value) {
  std::ostringstream text;
  text << "REAL " << std::hexfloat << value;
  return text.str();
}

std::string TextOf(const Chunk::Value& value) {
  using Type = ColumnValue::Type;
  switch (value.type) {
    case Type::kNull: return "NULL";
    case Type::kInteger: return StrCat("INTEGER ", value.integer);
    case Type::kReal: return RealText(value.real);
    case Type::kText: return StrCat("TEXT ", Printable(TextOf(value.bytes)));
    case Type::kBlob: return StrCat("BLOB ", Printable(TextOf(value.bytes)));
  }
  return "unknown";
}

// Returns a list as JSON would show it: a float is widened, for a single value is a float in one block and a list with
// this value in another.
std::string ListIn(const Chunk& chunk, uint32_t record) {
  if ((chunk.present()[record / 64] >> (record % 64) & 1) == 0) return "NULL";
  const Chunk::Lists& lists = chunk.lists();
  const FeatureKind kind = lists.kinds.empty() ? FeatureKind::kNone : lists.kinds[lists.kinds.size() == 1 ? 0 : record];
  std::string text = "LIST";
  for (uint32_t i = record == 0 ? 0 : lists.ends[record - 1]; i < lists.ends[record]; ++i) {
    const uint64_t number = lists.numbers.empty() ? 0 : lists.numbers[i];
    switch (kind) {
      case FeatureKind::kBytes: text += " " + Printable(TextOf(chunk.strings()[chunk.strings().number[i]])); break;
      case FeatureKind::kFloat: text += " " + RealText(std::bit_cast<float>(static_cast<uint32_t>(number))); break;
      case FeatureKind::kDouble: text += " " + RealText(std::bit_cast<double>(number)); break;
      default: text += StrCat(" INTEGER ", static_cast<int64_t>(number));
    }
  }
  return text;
}

// Reads one index from end to end.
class Reading {
 public:
  explicit Reading(const std::string& path)
      : snapshot_(Must(Snapshot::Open(path))),
        store_(Must(snapshot_->Columns())),
        catalog_(Must(snapshot_->Catalog())),
        features_(FeaturesByName(store_->features())),
        columns_(Must(ColumnChoice::Parse(catalog_->facts().columns))),
        reader_(RecordReader::Open(Must(snapshot_->Map()), FolderOf(path), {.allow_bad = true})) {}

  IndexContents Read() {
    Must(reader_.map().CheckAll());
    Must(catalog_->With([](CatalogReader& catalog) { return catalog.CheckRows(); }));
    contents_.ordinals = catalog_->facts().ordinals;
    contents_.generation = catalog_->generations().back().number;
    for (const ShardRow& row : catalog_->shards()) AddShard(row);
    AddDamage();
    AddRecords();
    AddTotals();
    CheckHoles();
    return std::move(contents_);
  }

 private:
  // If a shard has no record, the kind of its payloads says something about its siblings, as they once were.
  void AddShard(const ShardRow& row) {
    contents_.shards.push_back(
        {.path = row.path,
         .facts = StrCat("shard ", row.path, " ", Name(row.framing), " ", Name(row.compression), " ",
                         row.records == 0 ? "" : Name(row.payload), "\n  ", row.identity.size, " bytes, fingerprint ",
                         row.identity.fingerprint, ", inflated ", row.inflated_bytes, "\n  ", row.records, " records, ",
                         row.payload_bytes, " payload bytes\n"),
         .records = {}});
  }

  void AddDamage() {
    for (const DamageRow& row : Must(catalog_->Damage())) {
      ReadShard& shard = contents_.shards[row.shard];
      const DamagedRange& range = row.range;
      shard.facts += StrCat("  damage [", range.begin, ", ", range.end, ") ", Name(range.reason));
      shard.facts += range.file ? StrCat(" of the file: [", range.file->begin, ", ", range.file->end, ")\n") : "\n";
      shard.broken_stream |=
          range.reason == DamageReason::kBadDeflate || range.reason == DamageReason::kBadStreamChecksum ||
          range.reason == DamageReason::kTrailingBytes || range.reason == DamageReason::kSecondStream;
    }
  }

  void AddRecords() {
    std::map<uint64_t, BadReason> bad;
    for (const BadRow& row : Must(catalog_->Bad())) bad.emplace(row.record, row.reason);
    std::vector<BlockRow> blocks;
    Must(catalog_->With([&](CatalogReader& catalog) {
      return catalog.ForEachBlock([&](const BlockRow& row) -> Result<void> {
        blocks.push_back(row);
        return {};
      });
    }));
    REQUIRE(blocks.size() == store_->blocks().size());
    for (uint64_t number = 0; number < blocks.size(); ++number) AddBlock(blocks[number], number, bad);
    for (ReadShard& shard : contents_.shards) {
      const auto ordinal = [](const ReadRecord& a, const ReadRecord& b) { return a.ordinal < b.ordinal; };
      REQUIRE(std::is_sorted(shard.records.begin(), shard.records.end(), ordinal));
    }
  }

  void AddBlock(const BlockRow& row, uint64_t number, const std::map<uint64_t, BadReason>& bad) {
    const PackedOffsets places(row.offsets.data());
    const size_t first = contents_.shards[row.shard].records.size();
    for (uint32_t record = 0; record < row.records; ++record) {
      const uint64_t ordinal = row.first_record + record;
      const auto [begin, end] = places.At(record);
      std::string facts = StrCat("  record [", begin, ", ", end, ")");
      if (const auto fault = bad.find(ordinal); fault != bad.end()) facts += StrCat(" ", Name(fault->second));
      if (!row.hashes.empty()) facts += StrCat(" hash ", LoadLe64(row.hashes.data() + size_t{8} * record));
      contents_.shards[row.shard].records.push_back(
          {.ordinal = ordinal, .payload = PayloadOf(ordinal, row.shard, begin), .facts = facts + "\n"});
      there_.insert(ordinal);
    }
    for (const FeatureRow& feature : features_) AddValues(feature, row, number, first);
  }

  std::string PayloadOf(uint64_t ordinal, uint32_t shard, uint64_t begin) {
    const RecordLocation location = Must(reader_.Locate(ordinal));
    CHECK(location.offset == begin);
    const std::string shown = Must(reader_.ShardPath(location.shard));
    CHECK_MESSAGE(shown.ends_with(contents_.shards[shard].path), shown);
    Must(reader_.Copy(ordinal, bytes_));
    return TextOf(bytes_);
  }

  // Adds the values of one feature in a block: those that every index of these records stores, whatever its blocks.
  void AddValues(const FeatureRow& feature, const BlockRow& block, uint64_t number, size_t first) {
    if (feature.present == 0) return;
    const bool is_named = columns_.Named(feature.name);
    std::vector<ColumnRole> roles = {ColumnRole::kCount, ColumnRole::kSize};
    if (feature.largest_bytes <= 64) roles.push_back(is_named ? ColumnRole::kList : ColumnRole::kValue);
    for (const DerivedColumn& column : feature.derived) roles.push_back(column.role);
    for (const ColumnRole role : roles) {
      const auto chunk = Must(store_->Load({.name = {}, .feature = feature.feature, .role = role}, number));
      for (uint32_t record = 0; record < block.records; ++record) {
        const bool is_list = chunk->form() == Chunk::Form::kLists;
        const std::string value = is_list ? ListIn(*chunk, record) : TextOf(chunk->At(record));
        if (value == "NULL") continue;
        contents_.shards[block.shard].records[first + record].facts +=
            StrCat("    ", Printable(feature.name), " ", Name(role), " ", value, "\n");
      }
    }
  }

  void AddTotals() {
    const DatasetFacts& facts = catalog_->facts();
    CHECK(facts.records == there_.size());
    CHECK(reader_.live() == there_.size());
    CHECK(reader_.size() == facts.ordinals);
    CHECK(store_->records() == there_.size());
    CHECK(store_->ordinals() == facts.ordinals);
    contents_.totals =
        StrCat(facts.records, " records, ", facts.payload_bytes, " of ", facts.data_bytes, " bytes, ",
               Name(facts.checked), ", ", contents_.shards.size(), " shards, ", facts.skipped, " skipped\n");
    for (const SkippedFile& file : Must(catalog_->Skipped())) {
      contents_.totals += StrCat("  skipped ", file.path, ": ", file.reason, "\n");
    }
    for (const FeatureRow& row : features_) {
      if (row.present == 0) continue;
      contents_.totals += StrCat("feature ", Printable(row.name), " ", KindNames(row.kinds), " in ", row.present,
                                 " records, ", row.values, " values, ", row.values_min, " to ", row.values_max, ", ",
                                 row.single, " single, largest ", row.largest_bytes, "\n");
    }
  }

  void CheckHoles() {
    for (uint64_t ordinal = 0; ordinal <= contents_.ordinals; ++ordinal) {
      if (there_.contains(ordinal)) continue;
      CAPTURE(ordinal);
      const Result<void> copied = reader_.Copy(ordinal, bytes_);
      REQUIRE_FALSE(copied.has_value());
      CHECK_MESSAGE(copied.error().code == ErrorCode::kOutOfRange, copied.error().message);
      CHECK_FALSE(store_->BlockOf(ordinal).has_value());
    }
  }

  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<SharedCatalog> catalog_;
  std::vector<FeatureRow> features_;
  ColumnChoice columns_;
  RecordReader reader_;
  IndexContents contents_;
  std::set<uint64_t> there_;
  std::vector<uint8_t> bytes_;
};

}  // namespace

std::string IndexContents::Dump() const {
  std::string dump = totals;
  for (const ReadShard& shard : shards) {
    dump += shard.facts;
    for (const ReadRecord& record : shard.records) dump += record.facts;
  }
  return dump;
}

IndexContents ReadIndex(const std::string& path) { return Reading(path).Read(); }

std::string FirstDifference(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a);
  std::istringstream lines_b(b);
  std::string line_a;
  std::string line_b;
  std::string shard;
  for (;;) {
    const bool is_a = static_cast<bool>(std::getline(lines_a, line_a));
    const bool is_b = static_cast<bool>(std::getline(lines_b, line_b));
    if (!is_a && !is_b) return {};
    if (line_a.starts_with("shard ")) shard = line_a;
    if (is_a && is_b && line_a == line_b) continue;
    return StrCat(shard, "\n", is_a ? line_a : "(end)", "\n", is_b ? line_b : "(end)");
  }
}

}  // namespace ofindex
