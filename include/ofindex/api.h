#pragma once

// The names of the library are in namespace ofindex::v1. A program uses them without the version: `ofindex::Dataset`.
// Symbols contain the version, so the symbols of a later version cannot be confused with those of this one. Do not
// forward-declare these types, since that would need the version; include the header.
//
// If OFINDEX_EXPLICIT_VERSION is defined, only the names with the version are visible. ofindex itself is built in this
// way, because namespace ofindex also holds internal types, some of which have the same names. Programs that use the
// library do not see the internal types.
namespace ofindex::v1 {}

#ifndef OFINDEX_EXPLICIT_VERSION
namespace ofindex {
using namespace v1;
}
#endif

/// Mark exported classes and functions (all other symbols are hidden), and the internal members of exported classes.
#define OFINDEX_API __attribute__((visibility("default")))
#define OFINDEX_INTERNAL __attribute__((visibility("hidden")))
