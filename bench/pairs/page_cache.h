#pragma once

#include <string>
#include <vector>

namespace ofindex {

/// Evicts the pages of `files` from the page cache, so that the next read waits for the disk. If the process is
/// permitted to, evicts those of all other files too. Mapped pages stay.
void DropPages(const std::vector<std::string>& files);

}  // namespace ofindex
