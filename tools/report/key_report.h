#pragma once

#include <string>
#include <vector>

#include "index/keys/key_builder.h"
#include "tools/shell/json.h"

namespace ofindex {

/// Returns one line on a key that was made: "key filename: 1,797 records, 1,797 distinct keys, no duplicates, ...".
[[nodiscard]] std::string Describe(const KeyReport& report);

/// Returns keys as JSON.
[[nodiscard]] Json JsonKeys(const std::vector<KeyReport>& keys);

}  // namespace ofindex
