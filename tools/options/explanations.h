#pragma once

#include <string_view>

#include "tools/options/command_line.h"

namespace ofindex {

/// Gives the verb called `name` the paragraphs and examples of its help. The examples are about data/train, a folder of
/// TFRecord shards; a test runs them all, in the order of the help.
void Explain(Verb& verb, std::string_view name);

}  // namespace ofindex
