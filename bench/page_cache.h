#pragma once

#include <string>
#include <vector>

namespace ofindex {

/// Throws the pages of `files` out of memory, so that the next read waits for the disk: all pages of the system where
/// that is allowed, else those of these files. Pages that somebody maps stay.
void DropPages(const std::vector<std::string>& files);

}  // namespace ofindex
