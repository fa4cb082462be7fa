#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "query/images/image_fit.h"
#include "query/images/planes.h"

namespace ofindex {

/// Scales images and converts their colors, with a filter that averages all pixels that a smaller image merges. Used by
/// one thread at a time.
class Resizer {
 public:
  Resizer();
  ~Resizer();

  /// Sets `out` to the part of `image` that `placement` names, in its size, as gray if `gray`, otherwise as RGB; as
  /// gray too if the image is gray. Errors: kLimit if there is no memory.
  [[nodiscard]] Result<void> Resize(const Planes& image, const Placement& placement, bool gray, Planes& out);

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace ofindex
