#pragma once

#include <memory>

#include <ofindex/build.h>
#include <ofindex/dataset.h>
#include <ofindex/features.h>
#include <ofindex/query.h>

#include "base/progress.h"
#include "library/opened_dataset.h"
#include "query/sampling/sets/view.h"

namespace ofindex::v1 {

struct Progress::State {
  ofindex::Progress progress;
};

struct Selection::State {
  ofindex::View view;
};

/// Access to the engine's objects inside public ones.
struct Internals {
  [[nodiscard]] static const std::shared_ptr<const OpenedDataset>& Of(const Dataset& dataset) {
    return dataset.opened_;
  }
  [[nodiscard]] static ofindex::Progress& Of(Progress& progress) { return progress.state_->progress; }
  [[nodiscard]] static const ofindex::View& Of(const Selection& selection) { return selection.state_->view; }
  [[nodiscard]] static Selection SelectionOf(ofindex::View view) {
    return Selection(std::make_shared<const Selection::State>(Selection::State{std::move(view)}));
  }

  /// Decodes a copy of `payload`. Errors: those of Features::Decode.
  [[nodiscard]] static ofindex::Result<Features> Decode(ByteView payload, ofindex::PayloadKind kind);
};

}  // namespace ofindex::v1
