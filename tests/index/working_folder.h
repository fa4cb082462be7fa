#pragma once

#include <filesystem>
#include <string>

namespace ofindex {

/// Changes the working directory while the object lives.
class InFolder {
 public:
  explicit InFolder(const std::string& path) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~InFolder() { std::filesystem::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::filesystem::path before_;
};

}  // namespace ofindex
