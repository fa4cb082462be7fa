#pragma once

#include "base/result.h"
#include "tools/serve/requests/open_questions.h"
#include "tools/serve/requests/work_gate.h"

namespace ofindex {

/// Returns the result of `work`, which takes the progress of `question`, once `gate` lets in its `weight`. An error
/// says why the question has ended. Errors: those of `work` and of WorkGate::Enter; kLimit at the deadline.
template <typename Work>
[[nodiscard]] auto DoHeavyWork(WorkGate& gate, const OpenQuestion& question, uint64_t weight, const Work& work)
    -> decltype(work(question.progress())) {
  const Result<WorkGate::Pass> pass = gate.Enter(question.progress(), weight);
  if (!pass) return tl::unexpected(question.Explain(pass.error()));
  auto done = work(question.progress());
  if (!done) return tl::unexpected(question.Explain(done.error()));
  return done;
}

/// Does the same with work that weighs 1.
template <typename Work>
[[nodiscard]] auto DoHeavyWork(WorkGate& gate, const OpenQuestion& question, const Work& work)
    -> decltype(work(question.progress())) {
  return DoHeavyWork(gate, question, 1, work);
}

}  // namespace ofindex
