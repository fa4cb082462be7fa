#pragma once

#include <span>
#include <string_view>

namespace ofindex {

/// A file of the page. The views are valid until the process ends.
struct PageAsset {
  std::string_view path;   ///< "/", or "/page/NAME"
  std::string_view type;   ///< a media type
  std::string_view bytes;  ///< the file as it is in this folder
};

/// Returns all files of the page, index.html among them. Thread-safe.
[[nodiscard]] std::span<const PageAsset> PageAssets();

}  // namespace ofindex
