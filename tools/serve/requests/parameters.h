#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/http/exchange.h"

namespace ofindex {

/// The parameters of a request, which must outlive this object. Each value is checked when it is read, because anybody
/// may have written the URL. Immutable.
class Parameters {
 public:
  /// `known` may occur once, `lists` any number of times up to kMaxListed. Errors: kUsage, naming a parameter that the
  /// path does not take, or that occurs too often.
  [[nodiscard]] static Result<Parameters> Of(const Request& request, std::initializer_list<std::string_view> known,
                                             std::initializer_list<std::string_view> lists = {});

  static constexpr size_t kMaxListed = 256;

  /// Returns the value of a parameter; empty if it is not given.
  [[nodiscard]] const std::string& Text(std::string_view name) const;

  /// Returns all values of a parameter, in the order of the URL.
  [[nodiscard]] std::vector<std::string> All(std::string_view name) const;

  /// Returns a number of at most `max`, or `otherwise` if it is not given. Errors: kUsage.
  [[nodiscard]] Result<uint64_t> Number(std::string_view name, uint64_t otherwise, uint64_t max) const;

  /// Returns all values of a parameter as numbers of at most `max`. Errors: kUsage.
  [[nodiscard]] Result<std::vector<uint64_t>> Numbers(std::string_view name, uint64_t max) const;

  /// Returns a number as Number() does, but it must be given.
  [[nodiscard]] Result<uint64_t> RequiredNumber(std::string_view name, uint64_t max) const;

  /// Returns the parameter as one of `words`, or `otherwise` if it is not given. Errors: kUsage.
  [[nodiscard]] Result<std::string> Word(std::string_view name, std::string_view otherwise,
                                         std::initializer_list<std::string_view> words) const;

 private:
  explicit Parameters(const Request& request) : request_(&request) {}

  [[nodiscard]] const std::string* Find(std::string_view name) const;

  const Request* request_;
};

}  // namespace ofindex
