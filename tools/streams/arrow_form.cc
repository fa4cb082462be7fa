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

  Result<void> Take(uint64_t ordinal, const LentRecord& record) override {
    OFINDEX_TRY(record_.Take(dataset_, ordinal, record));
    for (const IpcColumn& column : columns_) {
      const Result<void> fits = column.Check(record_);
      if (!fits) OFINDEX_TRY(record.Check());  // it may fit no more because it was changed
      OFINDEX_TRY(fits);
    }
    const uint64_t payload_bytes = record.payload().size();
    const bool alone = payload_bytes > kLentRecordBytes;
    if (alone || payload_bytes_ + payload_bytes > kMaxBatchPayloadBytes) OFINDEX_TRY(WriteBatch());
    payload_bytes_ += payload_bytes;
    ids_.Add(true);
    const auto* const id = reinterpret_cast<const uint8_t*>(&ordinal);
    ids_.values.insert(ids_.values.end(), id, id + sizeof ordinal);
    if (alone) return WriteAlone(record);
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

  // The arrays of one or more columns: what the metadata says of them, and their buffers.
  struct Arrays {
    std::vector<IpcNode> nodes;
    std::vector<ByteView> bodies;

    void Add(const IpcArray& array, bool is_list) {
      nodes.push_back({static_cast<int64_t>(array.length), static_cast<int64_t>(array.nulls)});
      for (const ByteView body : BuffersOf(array, is_list)) bodies.push_back(body);
    }

    void Add(const IpcColumn& column) {
      for (const IpcArray& array : column.arrays()) Add(array, &array != &column.arrays().back());
    }
  };

  // The metadata of a batch, while its columns are added.
  struct Layout {
    std::vector<IpcNode> nodes;
    std::vector<IpcBuffer> buffers;
    uint64_t body_bytes = 0;

    void Add(const Arrays& arrays) {
      nodes.insert(nodes.end(), arrays.nodes.begin(), arrays.nodes.end());
      for (const ByteView body : arrays.bodies) {
        buffers.push_back({static_cast<int64_t>(body_bytes), static_cast<int64_t>(body.size())});
        body_bytes += (body.size() + kArrowAlignment - 1) / kArrowAlignment * kArrowAlignment;
      }
    }
  };

  Result<void> WriteBatch() {
    if (ids_.length == 0) return {};
    Arrays arrays;
    arrays.Add(ids_, false);
    for (const IpcColumn& column : columns_) arrays.Add(column);
    Layout layout;
    layout.Add(arrays);
    OFINDEX_TRY(WriteHead(layout));
    OFINDEX_TRY(WriteBodies(arrays));
    Clear();
    for (IpcColumn& column : columns_) column.Clear();
    return {};
  }

  // Writes a batch of one large record. Its columns are made twice, for their sizes and to be written, so that memory
  // holds one at a time.
  Result<void> WriteAlone(const LentRecord& record) {
    Arrays ids;
    ids.Add(ids_, false);
    Layout layout;
    layout.Add(ids);
    for (IpcColumn& column : columns_) {
      layout.Add(Alone(column));
      column.Free();
    }
    OFINDEX_TRY(record.Check());
    OFINDEX_TRY(WriteHead(layout));
    OFINDEX_TRY(WriteBodies(ids));
    for (IpcColumn& column : columns_) {
      const Arrays arrays = Alone(column);
      OFINDEX_TRY(record.Check());
      OFINDEX_TRY(WriteBodies(arrays));
      column.Free();
    }
    Clear();
    return {};
  }

  [[nodiscard]] Arrays Alone(IpcColumn& column) const {
    column.AppendAlone(record_);
    Arrays arrays;
    arrays.Add(column);
    return arrays;
  }

  // Begins a new batch, except for the columns.
  void Clear() {
    ids_ = {};
    payload_bytes_ = 0;
  }

  Result<void> WriteHead(const Layout& layout) {
    const std::vector<uint8_t> message =
        ArrowBatchMessage(ids_.length, layout.nodes, layout.buffers, layout.body_bytes);
    if (to_file_) {
      batches_.push_back({.offset = static_cast<int64_t>(position_),
                          .metadata_bytes = static_cast<int32_t>(message.size()),
                          .body_bytes = static_cast<int64_t>(layout.body_bytes)});
    }
    return Write(message);
  }

  Result<void> WriteBodies(const Arrays& arrays) {
    for (const ByteView body : arrays.bodies) OFINDEX_TRY(WritePadded(body));
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
