#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "query/dataset.h"
#include "query/sampling/sets/view.h"

namespace ofindex::python {

/// An open dataset, shared by all Python Datasets that are views of it. Its columns are reopened after a fork.
struct Source {
  Source(Dataset opened, bool bad_too) : dataset(std::move(opened)), allow_bad(bad_too) {}

  Dataset dataset;
  bool allow_bad;
  mutable std::atomic<bool> advised{false};     // the warning about a global shuffle of compressed shards was given
  mutable std::shared_ptr<const View> present;  // see PresentRows(); set with the GIL, once
};

}  // namespace ofindex::python
