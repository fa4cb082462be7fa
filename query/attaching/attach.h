#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/attaching/attach_report.h"
#include "query/attaching/attachment_update.h"
#include "query/attaching/table_rows.h"
#include "query/dataset.h"

namespace ofindex {

struct AttachRequest {
  std::string key;                        ///< the column or feature of the records' keys; `_id`: their ordinals
  std::string table_key = {};             ///< the column of the table with the keys; empty: that of the same name
  std::vector<std::string> columns = {};  ///< of the table; empty: all but the key
  std::string prefix = {};                ///< before the names of the columns
  bool replace = false;                   ///< columns that are attached already are replaced
  AttachmentTarget target = {};
};

/// Attaches columns of `rows` to the records of `dataset` whose key is that of a row. All records with the same key get
/// the values; records without a row get NULL. The columns are those of the index from then on: CloseColumns() of the
/// snapshot shows them. Takes memory for the keys of all records (see LookupByKey) and the values; reads the table
/// once. The file is replaced as a whole, or stays as it is.
///
/// Errors: kUsage if the table lacks a column, a name is taken, keys are of another type, or no row has a record;
/// kFormat if two rows have the same key and different values, or a column cannot be attached; kLimit; those of
/// AttachmentUpdate, LookupBy and of reading the table.
[[nodiscard]] Result<AttachReport> Attach(const Dataset& dataset, const AttachRequest& request, TableRows& rows,
                                          Progress& progress);

}  // namespace ofindex
