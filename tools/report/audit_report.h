#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/result.h"
#include "query/audit/audit.h"
#include "query/columns/column_store.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"

namespace ofindex {

/// What was asked of an audit, besides what it found.
struct AuditText {
  std::string feature;           ///< empty: payloads
  std::optional<unsigned> near;  ///< the distance up to which images are alike; not given: bytes are compared
  std::string label;             ///< column; empty: none
  std::string split;             ///< column; empty: none
  bool trusted = false;
};

/// Returns the groups of an audit, the largest first, then by their first record; at most `top`, if given.
[[nodiscard]] std::vector<size_t> LargestGroups(const AuditReport& report, std::optional<size_t> top);

/// Prints an audit for people: a line for each index, the totals, and a table of `groups`.
[[nodiscard]] Result<void> PrintAudit(const AuditReport& report, const AuditText& text,
                                      const std::vector<size_t>& groups, Output& out);

/// Returns the totals of an audit, without the groups.
[[nodiscard]] Json JsonAudit(const AuditReport& report, const AuditText& text);

/// Returns one group.
[[nodiscard]] Json JsonAuditGroup(const AuditReport& report, size_t group);

/// Writes the columns that an audit gives to the records of set `set`, whose columns are `store`, as CSV: a line for
/// each record, for `ofindex attach --key _id`. Errors: kIo, kInterrupted.
[[nodiscard]] Result<void> WriteVerdicts(const AuditReport& report, size_t set, const ColumnStore& store,
                                         const AuditText& text, const Progress& progress, OutputFile& out);

}  // namespace ofindex
