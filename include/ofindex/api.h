#pragma once

// The names of the library are in namespace ofindex::v1. A program uses them without the version: `ofindex::Dataset`.
// Symbols keep it, so a later version with other types has other symbols and cannot be mixed up with this one.
// Therefore do not forward-declare these types; include the header.
//
// If OFINDEX_EXPLICIT_VERSION is defined, only the names with the version are visible. ofindex itself is built in this
// way, because namespace ofindex holds its own, internal types, with some of the same names. No program sees those.
namespace ofindex::v1 {}

#ifndef OFINDEX_EXPLICIT_VERSION
namespace ofindex {
using namespace v1;
}
#endif

/// Mark exported classes and functions (everything else in the library is hidden), and internal parts of such classes.
#define OFINDEX_API __attribute__((visibility("default")))
#define OFINDEX_INTERNAL __attribute__((visibility("hidden")))
