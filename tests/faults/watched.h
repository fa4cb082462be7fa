#pragma once

#include <string>

namespace ofindex::faults {

/// Returns true if `path`, relative to the open folder `folder` or to the working directory (AT_FDCWD), is
/// FAULTS_FOLDER or in it. Links are not followed. Thread-safe.
[[nodiscard]] bool IsWatched(int folder, const char* path);

/// Returns true if descriptor `fd` was opened by such a path. Thread-safe.
[[nodiscard]] bool IsWatched(int fd);

/// Records whether descriptor `fd` is of a watched file. Returns `fd`; ignores -1.
int Watch(int fd, bool is_watched);

/// Returns `path`, relative to `folder`, as an absolute path without `.` and `..`.
[[nodiscard]] std::string AbsolutePath(int folder, const char* path);

}  // namespace ofindex::faults
