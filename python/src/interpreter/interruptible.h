#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/threads.h"
#include "python/src/interpreter/errors.h"

namespace ofindex::python {

/// Runs `work(progress)` on another thread, while this one waits without the GIL and lets Python's signal handlers run:
/// Ctrl-C sets progress.cancel, and is raised once `work` has ended. `watch`, if not null, is called with the GIL and
/// the progress every tenth of a second; an exception that it raises has the same effect. Returns the result of `work`,
/// or raises its error.
using Watch = std::function<void(const Progress&)>;

template <typename Work>
auto RunInterruptibly(const Work& work, Progress& progress, const Watch& watch = nullptr,
                      Asked asked = Asked::kArguments) {
  using Outcome = decltype(work(progress));
  std::optional<Outcome> outcome;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  bool raised = false;
  {
    const auto body = [&] {
      outcome.emplace(WithMemory("the answer", [&] { return work(progress); }));
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_one();
    };
    std::thread worker = Unwrap(StartThread(body));
    nanobind::gil_scoped_release release;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; })) {
      if (raised) continue;
      lock.unlock();
      {
        nanobind::gil_scoped_acquire acquire;
        raised = PyErr_CheckSignals() != 0;
        if (!raised && watch) {
          try {
            watch(progress);
          } catch (nanobind::python_error& error) {
            error.restore();
            raised = true;
          } catch (const std::exception& error) {
            PyErr_SetString(PyExc_RuntimeError, error.what());
            raised = true;
          }
        }
        if (raised) progress.cancel = true;
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) throw nanobind::python_error();
  return Unwrap(std::move(*outcome), asked);
}

template <typename Work>
auto RunInterruptibly(const Work& work, Asked asked = Asked::kArguments) {
  Progress progress;
  return RunInterruptibly(work, progress, nullptr, asked);
}

}  // namespace ofindex::python
