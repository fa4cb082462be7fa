#pragma once

#include <string>
#include <vector>

namespace ofindex {

/// Evicts the pages of `files` from the page cache, so that the next read waits for the disk. Evicts the pages of all
/// files of the system if this is allowed. Mapped pages stay.
void DropPages(const std::vector<std::string>& files);

}  // namespace ofindex
