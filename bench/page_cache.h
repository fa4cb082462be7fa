#pragma once

#include <string>
#include <vector>

namespace ofindex {

/// Evicts the pages of `files`, so that the next read waits for the disk: all pages of the system if that is allowed,
/// otherwise those of these files. Mapped pages stay.
void DropPages(const std::vector<std::string>& files);

}  // namespace ofindex
