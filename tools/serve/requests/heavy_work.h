#pragma once

#include "base/result.h"
#include "tools/serve/requests/open_questions.h"
#include "tools/serve/requests/work_gate.h"

namespace ofindex {

/// Returns the result of `work`, which takes the progress of `question`, once `gate` lets it begin. An error says why
/// the question has ended. Errors: those of `work` and of WorkGate::Enter; kLimit at the deadline.
template <typename Work>
[[nodiscard]] auto DoHeavyWork(WorkGate& gate, const OpenQuestion& question, const Work& work)
    -> decltype(work(question.progress())) {
  const Result<WorkGate::Pass> pass = gate.Enter(question.progress());
  if (!pass) return tl::unexpected(question.Explain(pass.error()));
  auto done = work(question.progress());
  if (!done) return tl::unexpected(question.Explain(done.error()));
  return done;
}

}  // namespace ofindex
