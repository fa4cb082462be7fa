#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ofindex {

using UrlParameters = std::vector<std::pair<std::string, std::string>>;

/// The target of a request, decoded.
struct Target {
  std::string path = {};
  UrlParameters parameters = {};
};

/// Parses a target in origin form: "/api/record?ordinal=5". In parameters, "+" is a space. Returns nothing for other
/// forms, for a bad escape, and for a path with a control character, a backslash or an empty first segment ("//host").
/// A path is not normalised: "/../x" stays as it is, and no route has it.
[[nodiscard]] std::optional<Target> ParseTarget(std::string_view target);

/// Returns parameters as the query of a URL, without "?". Only letters, digits and "-._~" stand for themselves, so the
/// text is safe in a header, and in HTML once "&" is escaped.
[[nodiscard]] std::string QueryOf(const UrlParameters& parameters);

}  // namespace ofindex
