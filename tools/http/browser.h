#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace ofindex {

/// A page in the temporary folder that leads the browser to a URL. It keeps the token out of the browser's command
/// line, which all users of this machine can read; only its owner can read the page. Removed with this object.
class LeadingPage {
 public:
  /// Writes the page. Errors: kIo.
  [[nodiscard]] static Result<LeadingPage> Write(const std::string& url);
  LeadingPage(LeadingPage&& other) noexcept;
  LeadingPage& operator=(LeadingPage&&) = delete;
  ~LeadingPage();

  /// Starts the system's browser with the page, without a shell. Errors: kIo if there is no xdg-open.
  [[nodiscard]] Result<void> Open() const;

 private:
  explicit LeadingPage(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: moved from
};

}  // namespace ofindex
