#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "mmap/lent_record.h"
#include "query/dataset.h"
#include "tools/show/pieces/record_pieces.h"

namespace ofindex {

/// How `cat` writes records.
struct FormRequest {
  std::string form = "jsonl";         ///< jsonl, csv, arrow, tfrecord, ofrecord or raw
  std::vector<std::string> features;  ///< empty: all
  bool header = true;                 ///< of CSV
  bool to_file = false;               ///< Arrow: its file format rather than a stream
};

/// A form in which records are written, one after the other. Not thread-safe.
class RecordForm {
 public:
  RecordForm() = default;
  virtual ~RecordForm() = default;
  RecordForm(const RecordForm&) = delete;
  RecordForm& operator=(const RecordForm&) = delete;

  /// Writes what comes before the first record. Errors: those of writing.
  [[nodiscard]] virtual Result<void> Begin() { return {}; }

  /// Writes a record. Errors: kDamage if its message is malformed, and nothing was written; those of writing; kLimit,
  /// kIndex.
  [[nodiscard]] virtual Result<void> Take(uint64_t ordinal, const LentRecord& record) = 0;

  /// Writes what comes after the last record.
  [[nodiscard]] virtual Result<void> End() { return {}; }
};

/// Returns the form that `request` names. `dataset` must outlive it. Errors: kUsage if the features cannot be written
/// in it, or no record has one of them; those of Snapshot::Catalog.
[[nodiscard]] Result<std::unique_ptr<RecordForm>> MakeRecordForm(const FormRequest& request, const Dataset& dataset,
                                                                 WriteBytes write);

// The tables.
[[nodiscard]] Result<std::unique_ptr<RecordForm>> MakeCsvForm(const FormRequest& request, const Dataset& dataset,
                                                              WriteBytes write);
[[nodiscard]] Result<std::unique_ptr<RecordForm>> MakeArrowForm(const FormRequest& request, const Dataset& dataset,
                                                                WriteBytes write);

}  // namespace ofindex
