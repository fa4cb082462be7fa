#pragma once

#include "base/result.h"
#include "tools/http/exchange.h"
#include "tools/serve/exploration.h"

namespace ofindex {

/// Answers requests of one path. Errors become error answers.
using Answerer = Result<Response> (*)(const Asked& asked);

// By path, in the files that are called so.
[[nodiscard]] Result<Response> AnswerDataset(const Asked& asked);
[[nodiscard]] Result<Response> AnswerCharts(const Asked& asked);
[[nodiscard]] Result<Response> AnswerCounts(const Asked& asked);
[[nodiscard]] Result<Response> AnswerRecords(const Asked& asked);
[[nodiscard]] Result<Response> AnswerRecord(const Asked& asked);
[[nodiscard]] Result<Response> AnswerLocate(const Asked& asked);
[[nodiscard]] Result<Response> AnswerValue(const Asked& asked);
[[nodiscard]] Result<Response> AnswerNumbers(const Asked& asked);
[[nodiscard]] Result<Response> AnswerFind(const Asked& asked);
[[nodiscard]] Result<Response> AnswerWire(const Asked& asked);
[[nodiscard]] Result<Response> AnswerSql(const Asked& asked);
[[nodiscard]] Result<Response> AnswerSampler(const Asked& asked);
[[nodiscard]] Result<Response> AnswerShards(const Asked& asked);

}  // namespace ofindex
