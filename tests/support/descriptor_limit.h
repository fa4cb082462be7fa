#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>

namespace ofindex {

/// A limit on the file descriptors of this process, as long as it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t descriptors) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const rlimit limit{descriptors, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace ofindex
