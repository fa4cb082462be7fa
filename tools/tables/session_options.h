#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/sql/sql_session.h"
#include "tools/options/command_line.h"
#include "tools/shell/context.h"

namespace ofindex {

/// What the session of a command reads besides its main index. A value type.
struct SessionOptions {
  std::vector<std::string> indexes = {};  ///< NAME=INDEX
  std::vector<std::string> tables = {};   ///< NAME=FILE; the file - is standard input
  std::string table_format = {};          ///< csv, tsv or jsonl, of files whose name does not tell; empty: unknown

  /// Returns true if a table is read from standard input.
  [[nodiscard]] bool reads_standard_input() const;
};

/// Adds the options --index, --table and --table-format.
void AddSessionOptions(Verb& verb, SessionOptions& options);

/// Opens a session on `index`, which may be empty if there are others, and on the rest of `options`. Files are read
/// into the memory of the session, at most `memory_bytes`. Errors: kUsage if there is no index, or an option is not a
/// name, = and a path; those of OpenSession(), Snapshot::Open() and TableFile.
[[nodiscard]] Result<SqlSession> OpenSession(const std::string& index, const SessionOptions& options,
                                             uint64_t memory_bytes, Context& context);

}  // namespace ofindex
