#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/sql/sql_session.h"
#include "tools/rows/statement.h"
#include "tools/shell/context.h"
#include "tools/shell/table.h"

namespace ofindex {

/// How a prompt shows results. Dot commands change it.
struct PromptSettings {
  RowForm form = RowForm::kTable;
  std::optional<size_t> width = std::nullopt;  ///< of lines; nothing: that of the terminal
  bool timer = false;
};

/// What holds for every statement of a prompt.
struct StatementOptions {
  std::vector<SqlParameter> parameters;
  SqlLimits limits;  ///< rows: nothing is a thousand in a table, otherwise all
};

/// Runs the statements of a prompt and shows their results or errors. Not thread-safe.
class PromptSession {
 public:
  /// `session` and `context` must outlive this object.
  PromptSession(SqlSession& session, StatementOptions options, PromptSettings settings, const Context& context)
      : session_(session), options_(std::move(options)), context_(context), settings_(settings) {}

  /// Runs one statement. Returns false if it failed.
  bool Run(std::string_view sql) const;

  /// Shows the plan of a statement as an indented tree.
  void Explain(std::string_view sql) const;

  /// Shows a text, or a table after a text.
  void Show(std::string_view text) const;
  void Show(const Table& table, std::string_view before = "") const;

  [[nodiscard]] const std::vector<SqlTable>& tables() const { return session_.tables(); }
  [[nodiscard]] PromptSettings& settings() { return settings_; }

 private:
  [[nodiscard]] size_t Width() const;
  [[nodiscard]] SqlLimits Limits() const;
  void Paged(const std::function<Result<void>(Output&)>& write) const;

  SqlSession& session_;
  const StatementOptions options_;
  const Context& context_;
  PromptSettings settings_;
};

}  // namespace ofindex
