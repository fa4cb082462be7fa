#pragma once

#include <string>

#include "tools/prompt/prompt_reader.h"

namespace ofindex {

/// Reads lines without editing them, for terminals that know no escape sequences: only the prompt is written.
class PlainReader final : public PromptReader {
 public:
  [[nodiscard]] LineInput Read(const std::string& prompt) override;
  void Remember(const std::string&) override {}

 private:
  std::string ahead_;  // read, but after the end of the line
};

}  // namespace ofindex
