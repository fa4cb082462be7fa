#include <utility>

#include "base/text.h"
#include "proto/wire/wire.h"
#include "tools/show/shown_record.h"
#include "tools/streams/arrow_column.h"
#include "tools/streams/arrow_messages.h"
#include "tools/streams/record_columns.h"
#include "tools/streams/record_form.h"

namespace ofindex {
namespace {

// A batch ends with the record that fills it, so memory is bounded by this and one record.
constexpr uint64_t kArrowBatchBytes = uint64_t{8} << 20;
constexpr uint64_t kArrowBatchRecords = uint64_t{64} << 10;

// Offsets are int32. A payload has no more values than bytes, so the offsets of a batch fit if its payloads do. Those
// of one record always do: decoding refuses longer payloads with kLimit.
constexpr uint64_t kMaxBatchPayloadBytes = INT32_MAX;
static_assert(kMaxMessageBytes <= kMaxBatchPayloadBytes);

constexpr size_t kArrowAlignment = 8;

ByteView BytesOf(const std::vector<int32_t>& offsets) {
  return {reinterpret_cast<const uint8_t*>(offsets.data()), offsets.size() * sizeof(int32_t)};
}

// Returns the buffers of `array`. All items are valid if it has no bitmap.
std::vector<ByteView> BuffersOf(const IpcArray& array, bool is_list) {
  std::vector<ByteView> buffers = {array.nulls == 0 ? ByteView() : ByteView(array.valid)};
  if (!array.offsets.empty()) buffers.push_back(BytesOf(array.offsets));
  if (!is_list) buffers.push_back(array.values);
  return buffers;
}

// Record batches of bounded size: an Arrow IPC stream, or a file of the Arrow IPC file format, which is a stream with a
// magic before it and a table of its batches after it.
class ArrowForm : public RecordForm {
 public:
  ArrowForm(std::vector<IpcColumn> columns, bool to_file, const Dataset& dataset, WriteBytes write)
      : columns_(std::move(columns)), to_file_(to_file), dataset_(dataset), write_(std::move(write)) {
    fields_.push_back({.name = "_id", .type = IpcType::kInt64, .nullable = false});
    for (const IpcColumn& column : columns_) fields_.push_back(column.field());
  }

  Result<void> Begin() override {
    if (to_file_) OFINDEX_TRY(WritePadded(AsBytes(kArrowMagic)));
    return Write(ArrowSchemaMessage(fields_));
  }

  Result<void> Take(uint64_t ordinal, ByteView payload) override {
    OFINDEX_TRY(record_.Take(dataset_, ordinal, payload));
    for (const IpcColumn& column : columns_) OFINDEX_TRY(column.Check(record_));
    if (payload_bytes_ + payload.size() > kMaxBatchPayloadBytes) OFINDEX_TRY(WriteBatch());
    payload_bytes_ += payload.size();
    ids_.Add(true);
    const auto* const id = reinterpret_cast<const uint8_t*>(&ordinal);
    ids_.values.insert(ids_.values.end(), id, id + sizeof ordinal);
    uint64_t bytes = 0;
    for (IpcColumn& column : columns_) {
      column.Append(record_);
      bytes += column.bytes();
    }
    return bytes >= kArrowBatchBytes || ids_.length >= kArrowBatchRecords ? WriteBatch() : Result<void>();
  }

  Result<void> End() override {
    OFINDEX_TRY(WriteBatch());
    OFINDEX_TRY(Write(ArrowEnd()));
    return to_file_ ? Write(ArrowFooter(fields_, batches_)) : Result<void>();
  }

 private:
  Result<void> Write(ByteView bytes) {
    position_ += bytes.size();
    return write_(bytes);
  }

  Result<void> WritePadded(ByteView bytes) {
    static constexpr uint8_t kZeros[kArrowAlignment] = {};
    OFINDEX_TRY(Write(bytes));
    return Write(ByteView(kZeros).first((kArrowAlignment - position_ % kArrowAlignment) % kArrowAlignment));
  }

  Result<void> WriteBatch() {
    if (ids_.length == 0) return {};
    std::vector<IpcNode> nodes;
    std::vector<ByteView> bodies;
    const auto add = [&](const IpcArray& array, bool is_list) {
      nodes.push_back({static_cast<int64_t>(array.length), static_cast<int64_t>(array.nulls)});
      for (const ByteView body : BuffersOf(array, is_list)) bodies.push_back(body);
    };
    add(ids_, false);
    for (const IpcColumn& column : columns_) {
      for (const IpcArray& array : column.arrays()) add(array, &array != &column.arrays().back());
    }
    OFINDEX_TRY(WriteMessage(nodes, bodies));
    ids_ = {};
    payload_bytes_ = 0;
    for (IpcColumn& column : columns_) column.Clear();
    return {};
  }

  Result<void> WriteMessage(const std::vector<IpcNode>& nodes, const std::vector<ByteView>& bodies) {
    std::vector<IpcBuffer> buffers;
    uint64_t body_bytes = 0;
    for (const ByteView body : bodies) {
      buffers.push_back({static_cast<int64_t>(body_bytes), static_cast<int64_t>(body.size())});
      body_bytes += (body.size() + kArrowAlignment - 1) / kArrowAlignment * kArrowAlignment;
    }
    const std::vector<uint8_t> message = ArrowBatchMessage(ids_.length, nodes, buffers, body_bytes);
    if (to_file_) {
      batches_.push_back({.offset = static_cast<int64_t>(position_),
                          .metadata_bytes = static_cast<int32_t>(message.size()),
                          .body_bytes = static_cast<int64_t>(body_bytes)});
    }
    OFINDEX_TRY(Write(message));
    for (const ByteView body : bodies) OFINDEX_TRY(WritePadded(body));
    return {};
  }

  std::vector<IpcColumn> columns_;
  const bool to_file_;
  const Dataset& dataset_;
  const WriteBytes write_;
  std::vector<IpcField> fields_;
  ShownRecord record_;
  IpcArray ids_;
  uint64_t payload_bytes_ = 0;  // of the records of the batch
  uint64_t position_ = 0;       // in the output
  std::vector<IpcBlock> batches_;
};

}  // namespace

Result<std::unique_ptr<RecordForm>> MakeArrowForm(const FormRequest& request, const Dataset& dataset,
                                                  WriteBytes write) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  OFINDEX_ASSIGN(const std::vector<RecordColumn> chosen, ColumnsOfRecords(*catalog, request.features));
  std::vector<IpcColumn> columns;
  for (const RecordColumn& one : chosen) {
    OFINDEX_ASSIGN(IpcColumn column, IpcColumn::Of(one));
    columns.push_back(std::move(column));
  }
  return std::make_unique<ArrowForm>(std::move(columns), request.to_file, dataset, std::move(write));
}

}  // namespace ofindex
