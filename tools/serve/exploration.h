#pragma once

#include <memory>
#include <vector>

#include "tools/http/exchange.h"
#include "tools/serve/records/record_payload.h"
#include "tools/serve/requests/open_questions.h"
#include "tools/serve/requests/work_gate.h"
#include "tools/serve/served_dataset.h"

namespace ofindex {

/// State that the handlers of all paths share. Thread-safe. The gates of counting and statements leave two of the
/// server's eight threads to questions that are answered at once.
struct Exploration {
  std::vector<std::unique_ptr<ServedDataset>> datasets;
  std::unique_ptr<OpenQuestions> questions;
  WorkGate counting{2, 2};  ///< passes over the columns; each runs on all processors
  WorkGate statements{1, 1};
  WorkGate records{RecordPayload::kMaxDecodedBytes, 6};  ///< bytes of payloads
};

/// A request to one dataset, and what is needed to answer it. Everything outlives the answer.
struct Asked {
  const Request& request;
  ServedDataset& dataset;
  Exploration& shared;
};

}  // namespace ofindex
