#include "tools/http/exchange.h"

namespace ofindex {

const std::string& Request::Parameter(const std::string& name, const std::string& otherwise) const {
  for (const auto& [each, value] : parameters) {
    if (each == name) return value;
  }
  return otherwise;
}

}  // namespace ofindex
