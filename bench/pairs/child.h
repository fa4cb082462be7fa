#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// This program, started again to do one task (bench/pairs/child_tasks.h) in its own memory. It prints numbers and may
/// wait for a line of input. Movable, not copyable; not thread-safe. The destructor closes the child's input, which
/// ends the child, and waits for it.
class Child {
 public:
  /// Starts `task`: its name and arguments. Errors: kIo.
  [[nodiscard]] static Result<Child> Start(const std::vector<std::string>& task);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// Waits for the next number that the child prints. Errors: kIo if the child ended instead.
  [[nodiscard]] Result<double> ReadNumber();

  /// Wakes a child that waits for a line of input.
  [[nodiscard]] Result<void> Wake();

 private:
  Child(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace ofindex
